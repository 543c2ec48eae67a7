export { byEndAndCreation } from './checked/checked-storage.js'
export { explainNoUser } from './checked/checked-users.js'
export { requireCompatibleSchema, toStorageStatus } from './checked/schema-check.js'
export { createAdapterError } from './checked/storage-error.js'
export type { DpopPolicy } from './dpop/dpop-options.js'
export { setupError } from './errors/auth-error.js'
export { createStderrReport } from './errors/report-to-stderr.js'
export type { RejectionOrigin } from './events/rejections.js'
export { type Aggregates, toAggregates, toNetwork } from './network.js'
export {
  checkOptionNames,
  describeValue,
  findClosestName,
  getMember,
  hasMethod,
  invalidOption,
  isPromise,
  optionError,
  readBoolean,
  readFunction,
  readInteger,
  readPort,
  readSystem,
  readText,
  usageError,
} from './option-checks.js'
export { tokenServiceOptionNames } from './options/resolve-options.js'
export { maxIdsInBatch, maxSessionsInList, sessionStorageMethods } from './ports/session-storage.js'
export { maxPasswordLength } from './ports/user-directory.js'
export { parseRefreshToken, type RefreshToken, toHash } from './session/refresh-token.js'
export { isActive, isRecentVerifier, toCredentialVersion, toExpiry } from './session/session-record.js'
export { createDeadline, onAbort, type RunInTime } from './system.js'
export { createServiceBinding, type ServiceBinding } from './token-service.js'
export {
  calls,
  limitChannel,
  type TracedCall,
  type TracedOperation,
  type TracedStorageCall,
  trace,
} from './tracing.js'
