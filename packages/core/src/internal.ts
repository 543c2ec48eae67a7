// What only the packages of this project share. Their versions are equal, so that it may change
// with every release.
export { byEndAndCreation } from './checked/checked-storage.js'
export { explainNoUser } from './checked/checked-users.js'
export { createAdapterError } from './checked/storage-error.js'
export type { DpopRequest } from './dpop/check-proof.js'
export { readPresentedToken } from './dpop/presented-token.js'
export {
  defaultRealm,
  type ErrorResponseOptions,
  type HashingRefusal,
  isServerFault,
  setupError,
} from './errors/auth-error.js'
export { errorTable } from './errors/error-table.js'
export { createStderrReport } from './errors/report-to-stderr.js'
export { createFairQueue } from './fair-queue.js'
export { deriveLimitSecret } from './keys/key-ring.js'
export { readServiceKeys } from './keys/read-key-ring.js'
export { createBuckets } from './limits/buckets.js'
export { createBoundedCache } from './limits/limiter.js'
export { readRateLimits } from './limits/rate-limits.js'
export { isPlainHttp, toNetwork } from './network.js'
export type { Caller } from './operations/authorize.js'
export type { HttpRequest } from './operations/call.js'
export * from './option-checks.js'
export { type ResolvedOptions, readIssuers, serviceOptions } from './options/resolve-options.js'
export type { ReserveOptions } from './ports/limiter.js'
export { sessionStorageMethods } from './ports/session-storage.js'
export type { ReachableStatus } from './ports/storage-status.js'
export { type HashingPriority, maxPasswordLength, type PasswordCheckOptions } from './ports/user-directory.js'
export { toConfirmation } from './session/decide-refresh.js'
export { endReasons } from './session/end-reason.js'
export { parseRefreshToken, toHash } from './session/refresh-token.js'
export { isActive, toCredentialVersion, toEndOrExpiry, toExpiry } from './session/session-record.js'
export { createDeadline, machineSystem, onAbort, readSystem, type System, withSystem } from './system.js'
export { createServiceBinding, type ServiceBinding } from './token-service.js'
export * from './tracing.js'
export { warnOnce } from './warn-once.js'
export { type CookiePolicy, readCookieMode, readRefreshCookie, toCookieHeader } from './wire/cookies.js'
export { readTexts, type WireBody, type WireRequest } from './wire/request.js'
export {
  setErrorHeaders,
  toAuthenticationResponse,
  toErrorResponse,
  toJwksResponse,
  type WireResponse,
} from './wire/response.js'
export * from './wire/routes.js'
