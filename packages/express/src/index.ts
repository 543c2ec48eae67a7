export {
  type AccessTokenClaims,
  type Auth,
  AuthError,
  type AuthErrorCode,
  type AuthEvent,
  type BcryptHasherOptions,
  type BcryptUsersOptions,
  bcryptHasher,
  bcryptUsers,
  canonicalUsername,
  createHashingQueue,
  type Device,
  type HashingOptions,
  type HashingQueue,
  type HashingQueueOptions,
  hashPassword,
  isAuthError,
  type KeyEntry,
  type Limit,
  type LimiterOptions,
  type PasswordCheckOptions,
  type PasswordHasher,
  type PasswordMatch,
  type PasswordUsersOptions,
  passwordUsers,
  type RateLimitOptions,
  type RehashOptions,
  type SessionStorage,
  type SessionSummary,
  type Sessions,
  type Signer,
  type StoredUser,
  type User,
  type UserDirectory,
  type UserId,
  verifyPassword,
} from '@jwt-auth/core'
export { toAuthenticationBody } from '@jwt-auth/core/wire'
export type { CreateGuard, GuardOptions, Middleware, Next } from './guard.js'
export type { CreateJwksHandler, JwksOptions } from './jwks.js'
export { type JwtAuth, jwtAuth } from './jwt-auth.js'
export type { JwtAuthOptions } from './options.js'
export { getAuth, requireAuth } from './request-auth.js'
