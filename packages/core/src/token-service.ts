import type { Auth } from './access-token/claims.js'
import type { DpopRequest } from './dpop/check-proof.js'
import type { DpopPolicy } from './dpop/dpop-options.js'
import { checkOptionalProof, requireBinding } from './dpop/possession.js'
import { AuthError } from './errors/auth-error.js'
import type { AuthEvent } from './events/auth-event.js'
import type { EmitEvent } from './events/listeners.js'
import { emitRejection, type RejectionOrigin } from './events/rejections.js'
import type { KeyEntry } from './keys/key.js'
import { type JsonWebKeySet, toJsonWebKeySet } from './keys/key-ring.js'
import { readKeys } from './keys/read-key-ring.js'
import { warnOfLocalLimits } from './limits/limits.js'
import {
  authenticate,
  type Credentials,
  type LoginOrigin,
  type PasswordOrigin,
  requirePassword,
} from './operations/authenticate.js'
import { type AuthorizeOptions, authorize, authorizeUser } from './operations/authorize.js'
import type { AuthenticationResult } from './operations/issue-tokens.js'
import { purgeRegularly } from './operations/maintenance.js'
import { type RefreshOrigin, refresh } from './operations/refresh.js'
import { type Revocation, type RevocationOrigin, revoke } from './operations/revoke.js'
import { createServiceContext } from './operations/service-context.js'
import { createSessions, type RunOperation, type Sessions } from './operations/sessions.js'
import { resolveOptions } from './options/resolve-options.js'
import type { TokenServiceOptions } from './options/token-service-options.js'
import type { User } from './ports/user-directory.js'
import { afterInput } from './system.js'
import { calls, trace } from './tracing.js'

/**
 * The token service, without HTTP. Operations that a client may call take the client's IP address
 * for the limits. Every operation throws an {@link AuthError} `jwt_auth_unavailable` when the
 * storage or the user directory fails, and after `close()`. `U` is your type of a user, and `C` is
 * what your option `claims` returns.
 */
export interface TokenService<U extends User = User, C extends object = object> {
  /**
   * Exchanges a user name and a password for a pair of tokens, and opens a session.
   *
   * @throws an {@link AuthError} `jwt_auth_failed` for an unknown user, a wrong password and a
   *   disabled user alike; `jwt_auth_rate_limited` when a limit is used up
   */
  readonly authenticate: (credentials: Credentials, origin?: LoginOrigin) => Promise<AuthenticationResult<U>>
  /**
   * Checks the password of a signed-in user again, before a sensitive change. The limits of logins
   * apply. Resolves to the user.
   *
   * @throws an {@link AuthError} `jwt_auth_failed` for a wrong password; `jwt_auth_rate_limited`
   *   when a limit is used up
   */
  readonly requirePassword: (userId: U['id'], password: unknown, origin?: PasswordOrigin) => Promise<U>
  /**
   * Exchanges a refresh token for a new pair of tokens. A replayed token ends its session.
   *
   * @throws an {@link AuthError} `jwt_auth_invalid_refresh_token` for every invalid token, without
   *   distinguishing why; `jwt_auth_rate_limited` when a limit is used up
   */
  readonly refresh: (refreshToken: string, origin?: RefreshOrigin) => Promise<AuthenticationResult<U>>
  /**
   * Checks an access token and whether its session is active. Resolves to its user, session and
   * claims.
   *
   * @throws an {@link AuthError} `jwt_auth_invalid_token`;
   *   `jwt_auth_insufficient_user_authentication` when the login was longer ago than
   *   `maxAuthAgeSeconds`; `jwt_auth_rate_limited` when a limit is used up
   */
  readonly authorize: (accessToken: string, options?: AuthorizeOptions) => Promise<Auth<U['id'], C>>
  /**
   * Checks an access token as `authorize` does, and that its user exists, is not disabled and has
   * the credential version of the session. Resolves to the user too, as the directory returns them
   * now.
   *
   * @throws an {@link AuthError} as `authorize` does
   */
  readonly authorizeUser: (
    accessToken: string,
    options?: AuthorizeOptions,
  ) => Promise<{ readonly auth: Auth<U['id'], C>; readonly user: U }>
  /**
   * Ends the session of an access token. Once it resolves, every instance rejects all tokens of the
   * session.
   *
   * @throws an {@link AuthError} `jwt_auth_invalid_token`; `jwt_auth_token_not_found` or
   *   `jwt_auth_token_already_revoked` for a valid token whose session does not exist or has ended;
   *   `jwt_auth_revoke_failed` when the storage did not confirm the end; `jwt_auth_rate_limited`
   *   when a limit is used up
   */
  readonly revoke: (accessToken: string, origin?: RevocationOrigin) => Promise<Revocation>
  /**
   * Checks the DPoP proof of a request that logs a user in, and uses the proof up. Resolves to the
   * thumbprint of the client's key, for `sessions.create`. Resolves to `undefined` if the request
   * has no proof, and without the option `dpop`.
   *
   * @throws an {@link AuthError} `jwt_auth_use_dpop_nonce` or `jwt_auth_invalid_dpop_proof`, also
   *   without a proof if `dpop.required` is set
   */
  readonly checkDpopProof: (request: DpopRequest) => Promise<string | undefined>
  /** Lists, opens and ends sessions, and deletes expired ones. */
  readonly sessions: Sessions<U>
  /**
   * Replaces all keys in one step. Takes what the option `keys` takes, even if the service was
   * created with `secret`. Access tokens of a removed key are rejected by later calls. Sessions and
   * refresh tokens continue.
   *
   * @throws TypeError when a key is invalid, or when the call would switch between secrets and key
   *   pairs. Nothing changes then.
   */
  readonly setKeys: (keys: readonly KeyEntry[]) => void
  /**
   * Returns the public keys, the active key first.
   *
   * @throws TypeError for a service with secrets
   */
  readonly jwks: () => JsonWebKeySet
  /**
   * Stops accepting operations and waits for those in flight. Does not close your database clients.
   */
  readonly close: () => Promise<void>
}

/**
 * Creates a token service.
 *
 * @throws TypeError that names the wrong option
 * @example
 * ```ts
 * const service = createTokenService({ secret, issuer: 'https://api.example.com', users, storage })
 * const result = await service.authenticate({ username, password }, { address })
 * const { accessToken, refreshToken } = result
 * ```
 */
export function createTokenService<U extends User, C extends object = object>(
  options: TokenServiceOptions<U, C>,
): TokenService<U, C>
// The operations use the types of users and claims that the ports declare. At run time, the users
// come from the application's `users`, and the claims from its `claims`, so the application's types
// are correct.
export function createTokenService(options: TokenServiceOptions): TokenService {
  return createServiceBinding(options).service
}

/** A token service, and what only a binding for a framework needs of it. */
export interface ServiceBinding {
  /** The service. */
  readonly service: TokenService
  /** The option `dpop` with its defaults. `undefined` without the option. */
  readonly dpop: DpopPolicy | undefined
  /**
   * Reports a failure to `onError`. When the hashing queue refuses checks, this is reported once a
   * minute, with a `login_overload` event. Never throws.
   */
  readonly report: (error: AuthError) => void
  /**
   * Emits `request_rejected` for a request that the caller rejects itself: without a bearer token,
   * or by a rule of the application. Rejections by the operations above have been announced
   * already.
   */
  readonly emitRejection: (error: AuthError, origin: RejectionOrigin) => void
  /**
   * Calls a function of the application and settles as its promise does. `option` names the
   * function in the report.
   *
   * @throws an {@link AuthError} `jwt_auth_unavailable` when the function takes longer than
   *   `storageTimeoutMs`
   */
  readonly callInTime: <T>(option: string, call: () => Promise<T>) => Promise<T>
  /**
   * Resolves for all requests of one turn of the event loop together. To check them together takes
   * less CPU time. `undefined` if the lookups of the sessions wait for each other anyway.
   */
  readonly afterInput: (() => Promise<void>) | undefined
}

/**
 * Creates a token service for a binding.
 *
 * @throws TypeError that names the wrong option
 */
export const createServiceBinding = (options: TokenServiceOptions): ServiceBinding => {
  const resolved = resolveOptions(options)
  const { rateLimits, storage, serviceSecrets, purgeIntervalSeconds, system } = resolved
  warnOfLocalLimits(rateLimits, storage)
  const closing = new AbortController()
  const inFlight = createInFlight(closing)
  const context = createServiceContext(resolved, closing.signal)
  const { keyRing, report, emit, callInTime } = context
  const run: RunOperation = (operation, work) => {
    if (!calls.operation.hasSubscribers) return inFlight.run(work, context)
    const events: AuthEvent[] = []
    const emitTraced: EmitEvent = (event) => {
      events.push(event)
      emit(event)
    }
    const traced = { ...context, emit: emitTraced }
    return trace(calls.operation, { operation, events }, () => inFlight.run(work, traced))
  }
  const sessions = createSessions(run)
  if (purgeIntervalSeconds !== undefined) purgeRegularly(context, purgeIntervalSeconds, () => sessions.purge())
  const service: TokenService = {
    authenticate: (credentials, origin = {}) =>
      run('authenticate', (context) => authenticate(context, credentials, origin)),
    requirePassword: (userId, password, origin = {}) =>
      run('requirePassword', (context) => requirePassword(context, { userId, password }, origin)),
    refresh: (refreshToken, origin = {}) => run('refresh', (context) => refresh(context, refreshToken, origin)),
    authorize: (accessToken, checks = {}) => run('authorize', (context) => authorize(context, accessToken, checks)),
    authorizeUser: (accessToken, checks = {}) =>
      run('authorizeUser', (context) => authorizeUser(context, accessToken, checks)),
    revoke: (accessToken, origin = {}) => run('revoke', (context) => revoke(context, accessToken, origin)),
    checkDpopProof: (request) =>
      run('checkDpopProof', async (context) => {
        const proof = checkOptionalProof(context, request)
        requireBinding(context, proof?.thumbprint)
        proof?.use()
        return proof?.thumbprint
      }),
    sessions,
    setKeys: (keys) => {
      keyRing.replace(readKeys(keys, serviceSecrets))
      const kids = keyRing.verificationKeys.map(({ kid }) => kid)
      emit({ type: 'keys_changed', activeKid: keyRing.active.kid, kids, at: new Date(system.now()) })
    },
    jwks: () => toJsonWebKeySet(keyRing),
    close: inFlight.close,
  }
  return {
    service,
    dpop: resolved.dpop,
    report,
    callInTime,
    afterInput: storage.batchLookups === false ? afterInput : undefined,
    emitRejection: (error, origin) => emitRejection(context, error, origin),
  }
}

/**
 * Creates the tracker of operations in flight for one service, so that an application can wait for
 * them before it closes its database. `closing` aborts when the service is closed.
 */
export const createInFlight = (closing: AbortController) => {
  const running = new Set<Promise<unknown>>()
  return {
    /**
     * Runs an operation.
     *
     * @throws AuthError `jwt_auth_unavailable`, and runs nothing, after the service was closed
     */
    run: async <Context, T>(work: (context: Context) => Promise<T>, context: Context): Promise<T> => {
      if (closing.signal.aborted) {
        throw new AuthError('jwt_auth_unavailable', { cause: new Error('jwt-auth: close() was called.') })
      }
      const result = work(context)
      running.add(result)
      try {
        return await result
      } finally {
        running.delete(result)
      }
    },
    /** Stops accepting operations. Resolves when none is in flight. */
    close: async (): Promise<void> => {
      closing.abort()
      await Promise.allSettled(running)
    },
  }
}
