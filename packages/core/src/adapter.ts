export { requireCompatibleSchema, toStorageStatus } from './checked/schema-check.js'
export type { LimitCount, LimitMark, LimitWindow } from './ports/limiter.js'
export {
  type CreatedBefore,
  type EndOutcome,
  type FoundSession,
  type MigratableStorage,
  maxIdsInBatch,
  maxSessionsInList,
  type RecentVerifier,
  type Rotation,
  type SessionEnd,
  type SessionFilter,
  type SessionRecord,
  type UnreadableSession,
  type UserRef,
} from './ports/session-storage.js'
export type { SchemaVersions } from './ports/storage-status.js'
export { isRecentVerifier } from './session/session-record.js'
export type { EpochMs } from './system.js'
