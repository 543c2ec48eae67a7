export { damageCases } from './cases/damage.js'
export { failureCases } from './cases/failures.js'
export { interruptionCases } from './cases/interruptions.js'
export { processCases } from './cases/processes.js'
export { sharingCases } from './cases/sharing.js'
export { waitingCases } from './cases/waiting.js'
export type {
  Awaitable,
  Capability,
  ConformanceCase,
  Damage,
  DamageCase,
  DamageSession,
  Hold,
  HoldBackend,
  InterruptionCase,
  Moment,
  SharingCase,
  WaitingCase,
} from './conformance-case.js'
export { conformanceCases } from './conformance-cases.js'
export { formatReport } from './format-report.js'
export {
  type CaseResult,
  type ConformanceOptions,
  type ConformanceReport,
  type CreateStorage,
  runConformance,
  type SelectableCase,
} from './run-conformance.js'
export { sampleSession, sampleUser } from './sample-session.js'
export { type StorageProcesses, serveStorage, startStorageProcesses } from './storage-processes.js'
