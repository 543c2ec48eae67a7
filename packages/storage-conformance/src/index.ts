export type {
  AdapterUnderTest,
  Awaitable,
  Capability,
  ConformanceCase,
  Damage,
  DamageSession,
  Hold,
  HoldBackend,
  Moment,
  StoragePair,
} from './conformance-case.js'
export { conformanceCases } from './conformance-cases.js'
export { formatReport } from './format-report.js'
export * from './run-conformance.js'
export { sampleSession, sampleUser } from './sample-session.js'
export { type StorageProcesses, serveStorage, startStorageProcesses } from './storage-processes.js'
