import type { Auth } from './access-token/claims.js'
import type { DpopRequest } from './dpop/check-proof.js'
import { checkOptionalProof, requireBinding } from './dpop/possession.js'
import { AuthError, isAuthError, toAuthError } from './errors/auth-error.js'
import { isRejection } from './errors/error-table.js'
import type { AuthEvent } from './events/auth-event.js'
import type { EmitEvent } from './events/listeners.js'
import type { KeyEntry } from './keys/key.js'
import { type JsonWebKeySet, toJsonWebKeySet } from './keys/key-ring.js'
import { readKeys } from './keys/read-key-ring.js'
import type { TokenRoute } from './limits/limits.js'
import type { NamedLimit, RequestLimit } from './limits/rate-limits.js'
import { type AccessRules, admit } from './operations/admit.js'
import { authorize, authorizeUser, type Caller } from './operations/authorize.js'
import type { Call, HttpRequest, RequestContext } from './operations/call.js'
import type { AuthenticationResult } from './operations/issue-tokens.js'
import { type Credentials, checkCredentials, login, requirePassword } from './operations/login.js'
import { purge, purgeRegularly, revokeAllCreatedBefore } from './operations/maintenance.js'
import type { LoginOptions } from './operations/open-session.js'
import { refresh } from './operations/refresh.js'
import { logout, revoke } from './operations/revoke.js'
import { createServiceContext, type ServiceContext } from './operations/service-context.js'
import { createSession, listSessions, revokeAllSessions, revokeSession, type Sessions } from './operations/sessions.js'
import { checkOptionNames } from './option-checks.js'
import { type ResolvedOptions, resolveOptions, serviceOptions } from './options/resolve-options.js'
import type { TokenServiceOptions } from './options/token-service-options.js'
import type { EndOutcome } from './ports/session-storage.js'
import type { User } from './ports/user-directory.js'
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
  login(credentials: Credentials, request?: RequestContext, options?: LoginOptions): Promise<AuthenticationResult<U>>
  /**
   * Checks a user name and a password as `login` does, and opens no session. Resolves to the user.
   *
   * @throws an {@link AuthError} as `login` does
   */
  checkCredentials(credentials: Credentials, request?: RequestContext): Promise<U>
  /**
   * Checks the password of a signed-in user again, before a sensitive change. The limits of logins
   * apply. Resolves to the user.
   *
   * @throws an {@link AuthError} `jwt_auth_failed` for a wrong password; `jwt_auth_rate_limited`
   *   when a limit is used up
   */
  requirePassword(userId: U['id'], password: unknown, request?: RequestContext): Promise<U>
  /**
   * Exchanges a refresh token for a new pair of tokens. A replayed token ends its session.
   *
   * @throws an {@link AuthError} `jwt_auth_invalid_refresh_token` for every invalid token, without
   *   distinguishing why; `jwt_auth_rate_limited` when a limit is used up
   */
  refresh(refreshToken: string, request?: RequestContext): Promise<AuthenticationResult<U>>
  /**
   * Checks an access token and whether its session is active. Resolves to its user, session and
   * claims.
   *
   * @throws an {@link AuthError} `jwt_auth_invalid_token`;
   *   `jwt_auth_insufficient_user_authentication` when the login was longer ago than
   *   `maxAuthAgeSeconds`
   */
  authorize(accessToken: string, options?: AuthorizeOptions): Promise<Auth<U['id'], C>>
  /**
   * Checks an access token as `authorize` does, and that its user exists, is not disabled and has
   * the credential version of the session. Resolves to the user too, as the directory returns them
   * now.
   *
   * @throws an {@link AuthError} as `authorize` does
   */
  authorizeUser(
    accessToken: string,
    options?: AuthorizeOptions,
  ): Promise<{ readonly auth: Auth<U['id'], C>; readonly user: U }>
  /**
   * Ends the session of an access token. Once it resolves, every instance rejects all tokens of the
   * session. Resolves to when the session ended.
   *
   * @throws an {@link AuthError} `jwt_auth_invalid_token`; `jwt_auth_token_not_found` or
   *   `jwt_auth_token_already_revoked` for a valid token whose session does not exist or has ended;
   *   `jwt_auth_revoke_failed` when the storage did not confirm the end; `jwt_auth_rate_limited`
   *   when a limit is used up
   */
  revoke(accessToken: string, request?: RequestContext): Promise<{ readonly revokedAt: Date }>
  /**
   * Ends the session of an access token or a refresh token. Resolves to what it found: `unknown`
   * for an invalid or expired token, and for a token of another issuer (RFC 7009, section 2.2). A
   * refresh token, also a replaced one, works as long as the session exists.
   *
   * @throws an {@link AuthError} `jwt_auth_revoke_failed` when the storage did not confirm the end;
   *   `jwt_auth_use_dpop_nonce` or `jwt_auth_invalid_dpop_proof` for a bound access token;
   *   `jwt_auth_rate_limited` when a limit is used up
   */
  logout(
    token: { readonly accessToken: string } | { readonly refreshToken: string },
    request?: RequestContext,
  ): Promise<'ended' | 'already-ended' | 'unknown'>
  /**
   * Counts an attempt of your own, such as a sign-up or a code.
   *
   * @throws an {@link AuthError} `jwt_auth_rate_limited` when the limit is used up; `TypeError` for
   *   a wrong argument
   */
  limit(name: string, limit: RequestLimit, request?: RequestContext): Promise<void>
  /**
   * Checks the DPoP proof of a request that logs a user in, and uses the proof up. Resolves to the
   * thumbprint of the client's key, for `sessions.create`. Resolves to `undefined` if the request
   * has no proof, and without the option `dpop`.
   *
   * @throws an {@link AuthError} `jwt_auth_use_dpop_nonce` or `jwt_auth_invalid_dpop_proof`, also
   *   without a proof if `dpop.required` is set
   */
  checkDpopProof(request: DpopRequest): Promise<string | undefined>
  /** Lists, opens and ends sessions, and deletes expired ones. */
  readonly sessions: Sessions<U>
  /**
   * Replaces all keys that sign and verify access tokens, in one step. Takes what the option `keys`
   * takes, even if the service was created with `secret` alone. Access tokens of a removed key are
   * rejected by later calls. Sessions and refresh tokens continue.
   *
   * @throws TypeError when a key is invalid, or when the call would switch between secrets and key
   *   pairs. Nothing changes then.
   * @example
   * ```ts
   * auth.setKeys([
   *   { key: newPem, algorithm: 'ES256', state: 'active' },
   *   { key: oldPem, algorithm: 'ES256', state: 'verify' },
   * ])
   * ```
   */
  setKeys(keys: readonly KeyEntry[]): void
  /**
   * Returns the public keys, the active key first.
   *
   * @throws TypeError for a service with secrets
   */
  jwks(): JsonWebKeySet
  /**
   * Stops accepting operations and waits for those in flight. Does not close your database clients.
   */
  close(): Promise<void>
}

/**
 * Creates a token service.
 *
 * @throws TypeError that names the wrong option
 * @example
 * ```ts
 * const service = createTokenService({ secret, issuer: 'https://api.example.com', users, storage })
 * const result = await service.login({ username, password }, { address })
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
  return createServiceBinding(checkOptionNames(options, serviceOptions, 'createTokenService')).service
}

/** How an access token is checked. */
export interface AuthorizeOptions extends Pick<RequestContext, 'address' | 'dpop'> {
  /**
   * The maximum age of the login, in seconds. A refresh is no login.
   * @default a login of any age
   */
  readonly maxAuthAgeSeconds?: number | undefined
}

/** A token service, and what only a binding for a framework needs of it. */
export interface ServiceBinding {
  /** The service. */
  readonly service: TokenService
  /** The options of the service, with every default applied. They contain keys. */
  readonly options: ResolvedOptions
  /**
   * Decides whether a request is admitted to what a guard or a route protects. Resolves to its
   * caller. With `route`, refused tokens count towards the limits of this route.
   *
   * @throws an {@link AuthError} with the code to respond with
   */
  readonly admit: (request: HttpRequest, rules?: AccessRules, route?: 'validate' | 'me') => Promise<Caller>
  /** Returns what the option `profile` returns for a user. */
  readonly getProfile: (user: User) => Promise<AuthenticationResult['profile']>
  /**
   * Reports a failure to `onError`. When the hashing queue refuses checks, this is reported once a
   * minute, with a `login_overload` event. Never throws.
   */
  readonly report: (error: AuthError) => void
}

/** A row of the table of operations. */
interface Operation<Request extends RequestContext, Input, Output> {
  /** The name of the method of the service, for traces. */
  readonly name: string
  /** Whether an error with the status 401 or 403 is an event `request_rejected`. @default false */
  readonly announces?: boolean
  /** The limit of refused tokens. @default refused tokens are not counted */
  readonly limit?: TokenRoute | undefined
  readonly run: (context: ServiceContext, input: Input, call: Call<Request>) => Promise<Output>
}

const limitRequest = ({ limits }: ServiceContext, limit: NamedLimit, { request }: Call): Promise<void> =>
  limits.countRequest(limit, request.address)

const toLogoutOutcome = (outcome: EndOutcome['outcome']) => (outcome === 'not-found' ? 'unknown' : outcome)

const toUnknown = (thrown: unknown): 'unknown' => {
  const error = toAuthError(thrown)
  if (error.code === 'jwt_auth_invalid_token' || error.code === 'jwt_auth_invalid_refresh_token') return 'unknown'
  throw thrown
}

const checkDpopProof = async (context: ServiceContext, request: DpopRequest) => {
  const proof = checkOptionalProof(context, { dpop: request })
  requireBinding(context, proof?.thumbprint)
  proof?.use()
  return proof?.thumbprint
}

/**
 * The operations of a service. Logins count their failures themselves, and have their own events.
 */
const operations = {
  login: { name: 'login', run: login },
  checkCredentials: { name: 'checkCredentials', run: checkCredentials },
  requirePassword: { name: 'requirePassword', run: requirePassword },
  refresh: { name: 'refresh', announces: true, limit: 'refresh', run: refresh },
  authorize: { name: 'authorize', announces: true, run: authorize },
  authorizeUser: { name: 'authorizeUser', announces: true, run: authorizeUser },
  admit: { name: 'authorize', announces: true, run: admit },
  admitUser: { name: 'authorizeUser', announces: true, run: admit },
  validate: { name: 'authorize', announces: true, limit: 'validate', run: admit },
  me: { name: 'authorizeUser', announces: true, limit: 'me', run: admit },
  revoke: { name: 'revoke', announces: true, limit: 'revoke', run: revoke },
  logout: { name: 'logout', limit: 'revoke', run: logout },
  limit: { name: 'limit', run: limitRequest },
  checkDpopProof: { name: 'checkDpopProof', run: checkDpopProof },
  createSession: { name: 'sessions.create', run: createSession },
  listSessions: { name: 'sessions.list', run: listSessions },
  revokeSession: { name: 'sessions.revoke', run: revokeSession },
  revokeAllSessions: { name: 'sessions.revokeAll', run: revokeAllSessions },
  revokeAllCreatedBefore: { name: 'sessions.revokeAllCreatedBefore', run: revokeAllCreatedBefore },
  purge: { name: 'sessions.purge', run: purge },
} as const

/**
 * Creates a token service for a binding, which has checked the names of the options.
 *
 * @throws TypeError that names the wrong option
 */
export const createServiceBinding = (options: TokenServiceOptions): ServiceBinding => {
  const resolved = resolveOptions(options)
  const { purgeIntervalSeconds, system } = resolved
  const closing = new AbortController()
  const context = createServiceContext(resolved, closing.signal)
  const { keyRing, report, emit } = context
  const { run, close } = createRunner(context, closing)
  const sessions: Sessions = {
    create: (userId, options) => run(operations.createSession, { userId, options }, {}),
    list: (userId, options) => run(operations.listSessions, { userId, options }, {}),
    revoke: (userId, sessionId) => run(operations.revokeSession, { userId, sessionId }, {}),
    revokeAll: (userId, options) => run(operations.revokeAllSessions, { userId, options }, {}),
    revokeAllCreatedBefore: (instant) => run(operations.revokeAllCreatedBefore, instant, {}),
    purge: () => run(operations.purge, undefined, {}),
  }
  if (purgeIntervalSeconds !== false) purgeRegularly(context, purgeIntervalSeconds, sessions.purge)
  const service: TokenService = {
    login: (credentials, request = {}, options) => run(operations.login, { credentials, options }, request),
    checkCredentials: (credentials, request = {}) => run(operations.checkCredentials, credentials, request),
    requirePassword: (userId, password, request = {}) => run(operations.requirePassword, { userId, password }, request),
    refresh: (refreshToken, request = {}) => run(operations.refresh, refreshToken, request),
    authorize: async (accessToken, { dpop, maxAuthAgeSeconds, ...request } = {}) => {
      const { auth } = await run(operations.authorize, { accessToken, dpop, maxAuthAgeSeconds }, request)
      return auth
    },
    authorizeUser: (accessToken, { dpop, maxAuthAgeSeconds, ...request } = {}) =>
      run(operations.authorizeUser, { accessToken, dpop, maxAuthAgeSeconds }, request),
    revoke: (accessToken, request = {}) => run(operations.revoke, { accessToken, dpop: request.dpop }, request),
    logout: (token, request = {}) =>
      run(operations.logout, { dpop: request.dpop, ...token }, request).then(toLogoutOutcome, toUnknown),
    limit: (name, limit, request = {}) => run(operations.limit, { name, limit }, request),
    checkDpopProof: (request) => run(operations.checkDpopProof, request, {}),
    sessions,
    setKeys: (keys) => {
      keyRing.replace(readKeys(keys))
      const kids = [...keyRing.keys.keys()]
      emit({ type: 'keys_changed', activeKid: keyRing.active.kid, kids, at: new Date(system.now()) })
    },
    jwks: () => toJsonWebKeySet(keyRing),
    close,
  }
  return {
    service,
    options: resolved,
    getProfile: context.getProfile,
    report,
    admit: (request, rules = {}, route) => {
      const operation = operations[route ?? (rules.checkUser ? 'admitUser' : 'admit')]
      const isTraced = route === undefined && calls.guard.hasSubscribers
      return isTraced ? trace(calls.guard, {}, () => run(operation, rules, request)) : run(operation, rules, request)
    },
  }
}

/**
 * Creates the function that runs operations: counts them in flight, traces them, announces
 * rejections and counts refused tokens.
 */
const createRunner = (context: ServiceContext, closing: AbortController) => {
  let inFlight = 0
  let stop = (): void => {}
  const idle = new Promise<void>((resolve) => {
    stop = resolve
  })

  const run = async <Request extends RequestContext, Input, Output>(
    operation: Operation<Request, Input, Output>,
    input: Input,
    request: Request,
    within = context,
  ): Promise<Output> => {
    // A traced operation runs in a context that collects its events.
    if (calls.operation.hasSubscribers && within === context) {
      const events: AuthEvent[] = []
      const emit: EmitEvent = (event) => {
        events.push(event)
        context.emit(event)
      }
      const traced = { ...context, emit }
      const start = () => run(operation, input, request, traced)
      return trace(calls.operation, { operation: operation.name, events }, start)
    }
    if (closing.signal.aborted) {
      throw new AuthError('jwt_auth_unavailable', { cause: new Error('jwt-auth: close() was called.') })
    }
    const call: Call<Request> = { request }
    inFlight += 1
    try {
      return await operation.run(within, input, call)
    } catch (thrown) {
      if (!isAuthError(thrown)) throw thrown
      if (operation.announces) emitRejection(within, call, thrown)
      throw operation.limit === undefined
        ? thrown
        : await within.limits.countRefusal(thrown, operation.limit, request.address)
    } finally {
      inFlight -= 1
      if (inFlight === 0 && closing.signal.aborted) stop()
    }
  }

  return {
    /**
     * Runs an operation.
     *
     * @throws AuthError `jwt_auth_unavailable`, and runs nothing, after the service was closed
     */
    run,
    /** Stops accepting operations. Resolves when none is in flight. */
    close: (): Promise<void> => {
      closing.abort()
      if (inFlight === 0) stop()
      return idle
    },
  }
}

const emitRejection = (
  { emit, system }: ServiceContext,
  { request: { address }, presented }: Call,
  { code, detail }: AuthError,
): void => {
  if (!isRejection(code)) return
  const { userId, sessionId } = presented ?? {}
  emit({
    type: 'request_rejected',
    code,
    detail,
    userId,
    sessionId,
    ipAddress: address ?? null,
    at: new Date(system.now()),
  })
}
