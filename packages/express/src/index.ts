export type * from '@jwt-auth/core'
export {
  AuthError,
  allOf,
  anyOf,
  claimEquals,
  claimIncludes,
  createTokenService,
  hasScope,
  isAuthError,
  toAuthError,
} from '@jwt-auth/core'
export type * from '@jwt-auth/passwords'
export {
  bcryptHasher,
  canonicalUsername,
  createHashingQueue,
  hashPassword,
  isBreachedPassword,
  passwordUsers,
} from '@jwt-auth/passwords'
export type { Next } from './failures.js'
export type { Middleware } from './guard.js'
export type { GuardOptions, RequestRules } from './guard-options.js'
export { type JwtAuth, jwtAuth } from './jwt-auth.js'
export type { WebRequest } from './node-http.js'
export type { CookieOptions, JwtAuthOptions } from './options.js'
