import type { IncomingMessage } from 'node:http'
import type { Auth } from '@jwt-auth/core'
import { checkOptionNames, optionError, readBoolean, readFunction } from '@jwt-auth/core/adapter'
import type { ErrorHandling } from './failures.js'
import { readErrorHandling, refuseRequest } from './options.js'

/**
 * The options of a guard. `A` is what `allow` receives of the caller, and `Req` is the request of your framework, such as Express's
 * `Request<{ id: string }>`.
 */
export interface GuardOptions<A extends Auth = Auth, Req extends IncomingMessage = IncomingMessage> {
  /** Passes requests without a bearer token on as anonymous. An invalid token still fails with 401. @default false */
  readonly optional?: boolean | undefined
  /**
   * Looks the user up for each request with a valid token, and responds with 401 if the user does not exist or is disabled.
   * Without this option, the access tokens of such a user work until they expire or you call `auth.sessions.revokeAll`. Each
   * request then also waits for `users.findById`; if that fails, the response is 503. @default false
   */
  readonly checkUser?: boolean | undefined
  /**
   * Your rule, called for each request with a valid token. For any result other than `true`, the guard responds with 403
   * `jwt_auth_forbidden`. Claims are as old as the access token: a role that you take away stays in the token until it expires.
   * @default every request with a valid token is passed on
   * @example
   * ```ts
   * auth.guard({ allow: ({ userId }, req: Request<{ id: string }>) => isOwner(userId, req.params.id) })
   * ```
   */
  readonly allow?: ((auth: A, req: Req) => boolean | Promise<boolean>) | undefined
  /** Who responds to a request that the guard rejects. @default the option `errorHandling` of `jwtAuth` */
  readonly errorHandling?: ErrorHandling | undefined
}

const guardOptions: Record<keyof GuardOptions, true> = {
  optional: true,
  checkUser: true,
  allow: true,
  errorHandling: true,
}

/**
 * Checks the options of a guard and applies the defaults.
 *
 * @throws TypeError that names the option
 */
export const resolveGuardOptions = <Req extends IncomingMessage>(options: GuardOptions<Auth, Req>) => {
  if (typeof options !== 'object' || options === null) {
    throw optionError('guard', 'an object, such as { allow: (auth) => … }', options)
  }
  refuseRequest(options, 'auth.guard', 'auth.guard()')
  checkOptionNames(options, guardOptions, 'guard')
  const { optional, checkUser, allow, errorHandling } = options
  return {
    isOptional: readBoolean('optional', optional),
    isUserChecked: readBoolean('checkUser', checkUser),
    allow: readFunction<GuardOptions<Auth, Req>['allow']>('allow', allow, undefined),
    errorHandling: readErrorHandling(errorHandling),
  }
}
