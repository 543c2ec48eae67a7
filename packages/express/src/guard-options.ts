import type { IncomingMessage } from 'node:http'
import type { Auth, Rule } from '@jwt-auth/core'
import { createIntegerReader, readBoolean, readFunction, readOptions, usageError } from '@jwt-auth/core/internal'
import type { ErrorHandling } from './failures.js'
import { readErrorHandling, refuseRequest } from './options.js'

/**
 * What a request must fulfil besides a valid token. `A` is the type of the first argument of
 * `allow`, and `Req` is the request of your framework, such as Express's `Request<{ id: string }>`.
 * A rule that is `undefined` is a `TypeError`, because a misspelled name would admit everybody.
 */
export interface RequestRules<A extends Auth = Auth, Req = unknown> {
  /**
   * Looks the user up for each request with a valid token, and responds with 401 if the user does
   * not exist, is disabled, or has a `credentialVersion` other than that of the session.
   * @default false
   */
  readonly checkUser?: boolean
  /**
   * Your rule, `(auth, req) => boolean | Promise<boolean>`, called for each request with a valid
   * token. For any result other than `true`, the guard responds with 403 `jwt_auth_forbidden`. If
   * its promise takes longer than `callTimeoutMs`, the response is 503.
   * @default every request with a valid token is passed on
   * @example
   * ```ts
   * auth.guard({
   *   allow: ({ userId }, req: Request<{ id: string }>) => isOwner(userId, req.params.id),
   * })
   * ```
   */
  readonly allow?: Rule<A, Req>
  /**
   * The maximum age of the login, in seconds, 1 to 315,360,000. When the login is older, the guard
   * responds with 401 `jwt_auth_insufficient_user_authentication` and `max_age` (RFC 9470). A
   * refresh is no login.
   * @default a session of any age is accepted
   */
  readonly maxAuthAgeSeconds?: number
}

/** The options of a guard. */
export interface GuardOptions<A extends Auth = Auth, Req extends IncomingMessage = IncomingMessage>
  extends RequestRules<A, Req> {
  /**
   * Passes requests without a bearer token on as anonymous. An invalid token still fails with 401.
   * @default false
   */
  readonly optional?: boolean | undefined
  /**
   * Who responds to a request that the guard rejects.
   * @default the option `errorHandling` of `jwtAuth`
   */
  readonly errorHandling?: ErrorHandling | undefined
}

const createRuleReaders = <Req>() => ({
  checkUser: readBoolean,
  allow: (name: string, allow: RequestRules<Auth, Req>['allow']) => readFunction(name, allow),
  maxAuthAgeSeconds: createIntegerReader({ min: 1, max: 315_360_000, default: undefined, unit: 'seconds' }),
})

/**
 * Checks the options of a guard and applies the defaults.
 *
 * @throws TypeError that names the option
 */
export const resolveGuardOptions = <Req extends IncomingMessage>(options: GuardOptions<Auth, Req>) => {
  refuseMistakes('guard', 'guard({ allow: … })', options)
  refuseRequest(options, 'auth.guard', 'auth.guard()')
  const readers = { optional: readBoolean, ...createRuleReaders<Req>(), errorHandling: readErrorHandling }
  return readOptions('guard', options, readers, {
    advice: "For a claim, write `allow: claimEquals('role', 'admin')`.",
  })
}

/**
 * Checks the options of `verifyRequest` and applies the defaults.
 *
 * @throws TypeError that names the option
 */
export const resolveRules = <Req>(options: RequestRules<Auth, Req>) => {
  refuseMistakes('verifyRequest', 'verifyRequest(request, { allow: … })', options)
  return readOptions('verifyRequest', options, createRuleReaders<Req>())
}

const refuseMistakes = (name: string, fix: string, options: object): void => {
  if (typeof options === 'function') {
    throw usageError(name, `\`${name}\` received a function as its options; pass it as \`allow\`: \`${fix}\`.`)
  }
  const lost = Object.entries(options ?? {}).find(([rule, value]) => value === undefined && rule in createRuleReaders())
  if (lost === undefined) return
  throw usageError(
    lost[0],
    `rule \`${lost[0]}\` of ${name} is undefined: its name may be misspelled, or a circular import may not have set it yet. Omit the rule to admit every signed-in user.`,
  )
}
