// What only the packages of this project share. Their versions are equal, so that it may change with
// every release.
export type { FromJson } from './access-token/claims.js'
export { byEndAndCreation } from './checked/checked-storage.js'
export { explainNoUser } from './checked/checked-users.js'
export { createAdapterError } from './checked/storage-error.js'
export type { DpopRequest } from './dpop/check-proof.js'
export { type PresentedToken, readPresentedToken } from './dpop/presented-token.js'
export {
  type AuthErrorDetails,
  defaultRealm,
  type ErrorResponseOptions,
  type HashingRefusal,
  isServerFault,
  setupError,
  type TokenScheme,
} from './errors/auth-error.js'
export { type Challenge, type ErrorRow, errorTable } from './errors/error-table.js'
export { createStderrReport } from './errors/report-to-stderr.js'
export type { LimitExceeded, RefreshTokenReuse, SessionEvent } from './events/auth-event.js'
export { createFairQueue, type FairQueue, type QueueBounds } from './fair-queue.js'
export type { HmacAlgorithm, PublicKeyAlgorithm } from './keys/algorithm.js'
export type { KeyState, PublicJwk, SignerCall } from './keys/key.js'
export { deriveLimitSecret } from './keys/key-ring.js'
export { readServiceKeys } from './keys/read-key-ring.js'
export { createBuckets } from './limits/buckets.js'
export { createBoundedCache } from './limits/limiter.js'
export { type Limit, type OptionalLimits, type RateLimits, readRateLimits } from './limits/rate-limits.js'
export { isPlainHttp, toNetwork } from './network.js'
export type { AccessRule, AccessRules } from './operations/admit.js'
export type { Caller, TokenRules } from './operations/authorize.js'
export type { HttpRequest } from './operations/call.js'
export type { ClaimRule } from './operations/rules.js'
export * from './option-checks.js'
export { type ResolvedOptions, readIssuers, serviceOptions } from './options/resolve-options.js'
export type { RefundOptions, ReservedCounts, ReserveOptions } from './ports/limiter.js'
export { sessionStorageMethods } from './ports/session-storage.js'
export type { ReachableStatus, UnreachableStatus } from './ports/storage-status.js'
export {
  type HashingPriority,
  maxPasswordLength,
  type PasswordCheckOptions,
  type UsernameLookupOptions,
} from './ports/user-directory.js'
export { type EndReason, endReasons } from './session/end-reason.js'
export { parseRefreshToken, type RefreshToken, toHash } from './session/refresh-token.js'
export { type ClientInfo, isActive, toCredentialVersion, toEndOrExpiry, toExpiry } from './session/session-record.js'
export {
  createDeadline,
  machineSystem,
  onAbort,
  type RunInTime,
  readSystem,
  type System,
  withSystem,
} from './system.js'
export { type AuthorizeOptions, createServiceBinding, type ServiceBinding } from './token-service.js'
export * from './tracing.js'
export { warnOnce } from './warn-once.js'
export {
  type CookiePolicy,
  type RequestHeaders,
  readCookieMode,
  readRefreshCookie,
  toCookieHeader,
} from './wire/cookies.js'
export { readTexts, type WireBody, type WireRequest } from './wire/request.js'
export {
  setErrorHeaders,
  toAuthenticationResponse,
  toErrorResponse,
  toJwksResponse,
  type WireResponse,
} from './wire/response.js'
export * from './wire/routes.js'
