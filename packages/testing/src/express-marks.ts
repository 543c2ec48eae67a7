import type { Sessions, TokenServiceOptions } from '@jwt-auth/core'
import { type System, usageError } from '@jwt-auth/core/internal'
import type { GuardOptions, JwtAuthOptions } from '@jwt-auth/express'

// What @jwt-auth/express puts on its functions. Registered by name, so that every copy of the
// package works.
const signingKey: unique symbol = Symbol.for('@jwt-auth/express.signing')
const guardKey = Symbol.for('@jwt-auth/express.guard')

/** What signs tokens as a service does, with some of the options of the service. */
export interface Signing {
  /**
   * Creates the operations on sessions of a service with changed options and the present keys. That
   * service emits no events, limits nothing and purges nothing.
   */
  readonly openSessions: (changes: Partial<TokenServiceOptions>) => Sessions
  readonly options: Pick<JwtAuthOptions, 'storage' | 'claims' | 'dpop' | 'readAuthorization'> & {
    readonly issuer: string
    readonly system: System
  }
}

/** Returns whether a value is the middleware of `jwtAuth`, whose routes are for everybody. */
export const isAuthMiddleware = (auth: object): auth is { readonly [signingKey]: Signing } => signingKey in auth

/**
 * Returns what signs the access tokens of a service.
 *
 * @throws TypeError if `auth` was not created by `jwtAuth`
 */
export const readSigning = (auth: object): Signing => {
  if (isAuthMiddleware(auth)) return auth[signingKey]
  throw usageError(
    'expectRoutesGuarded',
    '@jwt-auth/testing needs the result of jwtAuth(options) or createTestAuth(options).',
  )
}

/** Returns the options of a guard, with their defaults. `undefined` for every other function. */
export const readGuardOptions = (handle: object): GuardOptions | undefined => Reflect.get(handle, guardKey)
