import type { TokenServiceOptions } from '@jwt-auth/core'
import { usageError } from '@jwt-auth/core/adapter'
import type { GuardOptions } from '@jwt-auth/express'

// What @jwt-auth/express puts on its functions. Registered by name, so that every copy of the
// package works.
const serviceKey: unique symbol = Symbol.for('@jwt-auth/express.service')
const guardKey = Symbol.for('@jwt-auth/express.guard')

/** The options of a guard of any service, with their defaults. */
export type GuardMark = GuardOptions

/** Returns whether a value is the middleware of `jwtAuth`, whose routes are for everybody. */
export const isAuthMiddleware = (auth: object): auth is { readonly [serviceKey]: () => TokenServiceOptions } =>
  serviceKey in auth

/**
 * Returns the options with which another token service signs the same access tokens. That service
 * emits no events, limits nothing and purges nothing.
 *
 * @throws TypeError if `auth` was not created by `jwtAuth`
 */
export const readServiceOptions = (auth: object): TokenServiceOptions => {
  if (isAuthMiddleware(auth))
    return { ...auth[serviceKey](), rateLimits: false, purgeIntervalSeconds: undefined, onEvent: undefined }
  throw usageError(
    'expectRoutesGuarded',
    '@jwt-auth/testing needs the result of jwtAuth(options) or createTestAuth(options).',
  )
}

/** Returns the options of a guard. `undefined` for every other function. */
export const readGuardOptions = (handle: object): GuardMark | undefined => Reflect.get(handle, guardKey)
