export type {
  AdapterUnderTest,
  Capability,
  DamageSession,
  HoldBackend,
  Moment,
} from './conformance-case.js'
export { conformanceCases } from './conformance-cases.js'
export { formatReport } from './format-report.js'
export { type ConformanceReport, runConformance } from './run-conformance.js'
export { sampleSession, sampleUser } from './sample-session.js'
export { serveStorage, startStorageProcesses } from './storage-processes.js'
