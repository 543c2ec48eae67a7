export type { AccessTokenClaims, Auth, FromJson } from './access-token/claims.js'
export type { DpopRequest } from './dpop/check-proof.js'
export type { DpopOptions } from './dpop/dpop-options.js'
export {
  AuthError,
  type AuthErrorDetails,
  type HashingRefusal,
  isAuthError,
  type TokenScheme,
  toAuthError,
} from './errors/auth-error.js'
export type { AuthErrorCode } from './errors/error-table.js'
export type { AuthEvent, LimitExceeded, LoginFailure, RefreshTokenReuse, SessionEvent } from './events/auth-event.js'
export type { Algorithm, HmacAlgorithm, PublicKeyAlgorithm } from './keys/algorithm.js'
export type { KeyEntry, KeyState, PublicJwk, Secret, Signer, SignerCall } from './keys/key.js'
export type { JsonWebKeySet } from './keys/key-ring.js'
export type { Limit, OptionalLimits, RateLimitOptions, RateLimits, RequestLimit } from './limits/rate-limits.js'
export type { RequestContext } from './operations/call.js'
export type { AuthenticationResult } from './operations/issue-tokens.js'
export type { Credentials } from './operations/login.js'
export type { LoginOptions } from './operations/open-session.js'
export type { Revocation } from './operations/revoke.js'
export { all, any, type ClaimRule, claimEquals, claimIncludes, hasScope, type Rule } from './operations/rules.js'
export type { NewSessionOptions, SessionSummary, Sessions } from './operations/sessions.js'
export type { TokenServiceOptions } from './options/token-service-options.js'
export type {
  LimitCount,
  Limiter,
  LimitMark,
  LimitWindow,
  RefundOptions,
  ReservedCounts,
  ReserveOptions,
} from './ports/limiter.js'
export type {
  CreatedBefore,
  EndOutcome,
  FoundSession,
  MigratableStorage,
  RecentVerifier,
  Rotation,
  SessionEnd,
  SessionFilter,
  SessionRecord,
  SessionStorage,
  UnreadableSession,
  UserRef,
} from './ports/session-storage.js'
export type { ReachableStatus, SchemaVersions, StorageStatus, UnreachableStatus } from './ports/storage-status.js'
export type {
  HashingPriority,
  PasswordCheckOptions,
  User,
  UserDirectory,
  UserId,
  UsernameLookupOptions,
} from './ports/user-directory.js'
export type { EndReason } from './session/end-reason.js'
export type { ClientInfo, Device } from './session/session-record.js'
export type { CallOptions, EpochMs, System } from './system.js'
export { type AuthorizeOptions, createTokenService, type TokenService } from './token-service.js'
