import type { IncomingMessage } from 'node:http'
import {
  type AuthenticationResult,
  type Credentials,
  isAuthError,
  type LoginOptions,
  type NewSessionOptions,
  type RequestLimit,
  type TokenService,
  type User,
  type UserDirectory,
} from '@jwt-auth/core'
import {
  type CookiePolicy,
  checkOptionNames,
  type HashingPriority,
  readCookieMode,
  readPresentedToken,
  readRefreshCookie,
  readRefreshToken,
  readTexts,
  toCookieHeader,
  toCredentialVersion,
  toNetwork,
  usageError,
} from '@jwt-auth/core/internal'
import type { ClientRequest } from './client-request.js'
import { type GuardedRequests, requireRequestOf } from './guarded-requests.js'
import { isWebRequest, requireRequest, toDpopRequest, type WebRequest } from './node-http.js'

/**
 * The operations for routes of your own. They do what the routes of the service do: with their
 * limits, hashing queue, events and deadlines, and with the address, the device, the DPoP proof and
 * the cookie mode of the request. They end when the client disconnects. `U` is your type of a user.
 *
 * Each takes Node's request first, as Express passes it. In the cookie mode (option `cookies`), the
 * refresh token is set as a cookie of the response `req.res`, and `refreshToken` of the result is
 * empty. A response `req.res` with tokens gets `Cache-Control: no-store`.
 *
 * @throws an `AuthError` with the code with which a route of the service responds. `onError` has
 *   received it if the client did not cause it. Pass it to `next`, and mount `auth.errorHandler()`.
 */
export interface RequestOperations<U extends User = User> {
  /**
   * Logs a user in with a user name and a password, and opens a session.
   *
   * @throws an `AuthError` `jwt_auth_invalid_request` (400) unless both are text of 1 to 4,096
   *   UTF-16 code units; `jwt_auth_failed` (403) for an unknown user, a wrong password and a
   *   disabled user alike; `jwt_auth_rate_limited` (429) when a limit is used up
   * @example
   * ```ts
   * app.post('/login', express.json(), async (req, res) => {
   *   const { email: username, password } = req.body
   *   const { user, accessToken, refreshToken } = await auth.login(req, { username, password })
   *   res.json({ user: { id: user.id }, tokens: { access: accessToken, refresh: refreshToken } })
   * })
   * ```
   */
  login(
    req: IncomingMessage,
    credentials: { readonly [Name in keyof Credentials]: unknown },
    options?: LoginOptions,
  ): Promise<AuthenticationResult<U>>
  /**
   * Checks a user name and a password as `login` does, and opens no session. Resolves to the user.
   * For a second factor, call `openSession` in the same request: it fails if the password has
   * changed since.
   *
   * @throws an `AuthError` as `login` does
   */
  checkCredentials(req: IncomingMessage, credentials: { readonly [Name in keyof Credentials]: unknown }): Promise<U>
  /**
   * Exchanges a refresh token for a new pair of tokens. In the cookie mode, omit `refreshToken`: it
   * is read from the cookie.
   *
   * @throws an `AuthError` `jwt_auth_invalid_refresh_token` (403) for every invalid token;
   *   `jwt_auth_invalid_request` (400) without a token
   */
  refresh(req: IncomingMessage, refreshToken?: unknown): Promise<AuthenticationResult<U>>
  /**
   * Ends a session: that of `refreshToken`, in the cookie mode that of the cookie, and otherwise
   * that of the access token of the request. Resolves to what it found: `unknown` if there is no
   * valid token (RFC 7009, section 2.2). An access token that has expired ends nothing, so pass the
   * refresh token where you have it.
   *
   * @throws an `AuthError` `jwt_auth_revoke_failed` (500) when the storage did not confirm the end;
   *   `jwt_auth_invalid_request` (400) if `refreshToken` is no text
   * @throws TypeError for a second argument other than `{ refreshToken }`
   */
  logout(
    req: IncomingMessage,
    token?: { readonly refreshToken?: unknown },
  ): Promise<'ended' | 'already-ended' | 'unknown'>
  /**
   * Opens a session without a password: after a sign-up, single sign-on or a second factor. Binds
   * it to the key of the request's DPoP proof.
   *
   * @throws an `AuthError` `jwt_auth_failed` (403) when the user does not exist or is disabled
   * @example
   * ```ts
   * const attributes = { amr: ['pwd', 'otp'] }
   * auth.sendTokens(res, await auth.openSession(req, userId, { attributes }))
   * ```
   */
  openSession(
    req: IncomingMessage,
    userId: U['id'],
    options?: Omit<NewSessionOptions, 'device' | 'dpopThumbprint'>,
  ): Promise<AuthenticationResult<U>>
  /**
   * Ends all sessions of a user, and opens a new one as `openSession` does. Call it after a
   * password change: no session survives it.
   *
   * @param options `reason` is the end reason of the other sessions, as for `sessions.revokeAll`.
   */
  replaceSessions(
    req: IncomingMessage,
    userId: U['id'],
    options?: LoginOptions & { readonly reason?: string | undefined },
  ): Promise<AuthenticationResult<U>>
  /**
   * Checks the password of the user of a guarded request again, before a sensitive change such as a
   * new password or a deletion. Failed checks count towards the limits of logins. Resolves to the
   * user. Write the change with the `id` of this user: without `await`, there is no `id`.
   *
   * @throws an `AuthError` `jwt_auth_failed` (403) for a wrong password, and for a value that is
   *   not text of 1 to 4,096 UTF-16 code units; `jwt_auth_rate_limited` (429) when a limit is used
   *   up; `jwt_auth_internal_error` (500) without a guard
   * @example
   * ```ts
   * const { id } = await auth.requirePassword(req, req.body.password)
   * ```
   */
  requirePassword(req: IncomingMessage, password: unknown): Promise<U>
  /**
   * Hashes a password with the options of `users`, in the hashing queue: behind a guard with the
   * priority of a known user, otherwise in turn with the logins of other networks.
   *
   * @throws an `AuthError` `jwt_auth_unavailable` (503) when too many hashes wait; `TypeError`
   *   unless the password is well-formed text of 1 to 4,096 UTF-16 code units, or if `users` has no
   *   method `hashPassword`
   */
  hashPassword(req: IncomingMessage, password: string): Promise<string>
  /**
   * Counts an attempt at something of your own, such as a sign-up, in the store of the service's
   * limits. Counts by the client's network, or by `key`.
   *
   * @param name Keeps the counts of different limits apart: 1 to 40 letters, digits and
   *   underscores.
   * @throws an `AuthError` `jwt_auth_rate_limited` (429, with `Retry-After`) when the limit is used
   *   up
   * @example
   * ```ts
   * await auth.limit(req, 'sign_up', { points: 10, durationSeconds: 3_600 })
   * await auth.limit(req, 'code', { points: 5, durationSeconds: 900, key: user.id })
   * ```
   */
  limit(req: IncomingMessage, name: string, limit: RequestLimit): Promise<void>
  /**
   * Checks the DPoP proof of a request, and uses the proof up. Only needed to refuse a request
   * before you change anything: `openSession` and `replaceSessions` check the proof too, and accept
   * one that was checked here. Resolves to the thumbprint of the client's key, or to `undefined` if
   * the request has no proof, and without the option `dpop`.
   *
   * @throws an `AuthError` `jwt_auth_use_dpop_nonce` or `jwt_auth_invalid_dpop_proof`, also without
   *   a proof if `dpop.required` is set
   */
  checkDpopProof(req: IncomingMessage | WebRequest): Promise<string | undefined>
}

/** What the operations of one service need. */
interface OperationsContext {
  readonly service: TokenService
  readonly users: UserDirectory
  readonly issuer: string
  readonly cookies: CookiePolicy | undefined
  readonly requests: GuardedRequests
}

// What to write in place of a call without a request.
const calls: Readonly<Partial<Record<keyof RequestOperations, string>>> = {
  login: 'login(req, { username, password })',
  requirePassword: 'requirePassword(req, password)',
  openSession: 'openSession(req, userId)',
}

/** Creates the operations for routes of the application. */
export const createOperations = (context: OperationsContext): RequestOperations => {
  const { service, users, issuer, cookies, requests } = context
  const read = (name: keyof RequestOperations, req: IncomingMessage) => {
    requireRequestOf(name, req, calls[name])
    return requests.get(req)
  }

  // Refuses a page of another origin, and a cookie without a response, before anything changes.
  const issue = async (
    name: keyof RequestOperations,
    req: IncomingMessage,
    run: (request: ClientRequest, mode: CookiePolicy | undefined) => Promise<AuthenticationResult>,
  ): Promise<AuthenticationResult> => {
    const request = read(name, req)
    const mode = readCookieMode(request, cookies)
    if (mode !== undefined) request.requireResponse()
    const result = await run(request, mode)
    request.preventCaching()
    if (mode === undefined) return result
    request.appendHeaders(toCookieHeader(mode, result.refreshToken, result.sessionExpiresInSeconds))
    return { ...result, refreshToken: '' }
  }

  // A guard has used the proof of a bound access token up.
  const checkProof = (request: ClientRequest): Promise<string | undefined> => {
    const jkt = request.caller?.auth.claims.cnf?.jkt
    if (jkt !== undefined) return Promise.resolve(jkt)
    request.thumbprint ??= service.checkDpopProof(request.dpop)
    return request.thumbprint
  }

  const open = async (request: ClientRequest, userId: User['id'], options: NewSessionOptions) => {
    const dpopThumbprint = await checkProof(request)
    return service.sessions.create(userId, { ...options, device: request.device, dpopThumbprint })
  }

  const toPriority = (request: ClientRequest): HashingPriority => {
    const { address, signal, caller } = request
    const user = caller && JSON.stringify([issuer, caller.auth.userId])
    return { isKnown: caller !== undefined, network: toNetwork(address), user, signal }
  }

  return {
    login: (req, credentials, options) =>
      issue('login', req, (request) => service.login(toCredentials(credentials), request, options)),
    checkCredentials: async (req, credentials) => {
      const request = read('checkCredentials', req)
      request.checkedUser = await service.checkCredentials(toCredentials(credentials), request)
      return request.checkedUser
    },
    refresh: (req, refreshToken) =>
      issue('refresh', req, async (request, mode) =>
        service.refresh(readRefreshToken(request, mode, { refresh_token: refreshToken }), request),
      ),
    logout: async (req, token = {}) => {
      const request = read('logout', req)
      const { refreshToken } = checkOptionNames(token, logoutOptions, 'logout')
      const mode = readCookieMode(request, cookies)
      if (mode !== undefined) request.requireResponse()
      const found = findToken(request, mode, refreshToken ?? undefined)
      const outcome = found === undefined ? 'unknown' : await service.logout(found, request)
      if (mode !== undefined) request.appendHeaders(toCookieHeader(mode, '', 0))
      return outcome
    },
    openSession: (req, userId, options) =>
      issue('openSession', req, (request) => {
        const { checkedUser } = request
        const credentialVersion =
          checkedUser && checkedUser.id === userId ? toCredentialVersion(checkedUser) : undefined
        return open(request, userId, { credentialVersion, ...options })
      }),
    replaceSessions: (req, userId, { reason, ...options } = {}) =>
      issue('replaceSessions', req, async (request) => {
        // Before anything changes.
        await checkProof(request)
        await service.sessions.revokeAll(userId, { reason })
        return open(request, userId, options)
      }),
    requirePassword: async (req, password, ...others: readonly unknown[]) => {
      const request = read('requirePassword', req)
      if (others.length > 0)
        throw usageError('requirePassword', 'Write auth.requirePassword(req, password): the guard knows the user.')
      return service.requirePassword(requests.getAuth(req).userId, password, request)
    },
    hashPassword: async (req, password) => {
      const request = read('hashPassword', req)
      if (users.hashPassword === undefined) throw usageError('hashPassword', withoutHash)
      return users.hashPassword(password, { priority: toPriority(request) })
    },
    limit: async (req, name, limit) => service.limit(name, limit, read('limit', req)),
    checkDpopProof: async (req) => {
      requireRequest(req)
      return isWebRequest(req) ? service.checkDpopProof(toDpopRequest(req)) : checkProof(requests.get(req))
    },
  }
}

const withoutHash =
  'auth.hashPassword needs a method `hashPassword` of `users`, which `passwordUsers` and `knexUsers` have. In a directory of your own, hash the password yourself.'

const toCredentials = (given: object): Credentials => readTexts({ ...given }, ['username', 'password'])

const logoutOptions = { refreshToken: true }

// The token of the session that a logout ends, if there is one.
const findToken = (request: ClientRequest, mode: CookiePolicy | undefined, refreshToken: unknown) => {
  if (refreshToken !== undefined) {
    return { refreshToken: readRefreshToken(request, undefined, { refresh_token: refreshToken }) }
  }
  const ofCookie = mode && readIfValid(() => ({ refreshToken: readRefreshCookie(request, mode, {}) }))
  return ofCookie ?? readIfValid(() => readPresentedToken(request))
}

const readIfValid = <T>(readToken: () => T): T | undefined => {
  try {
    return readToken()
  } catch (error) {
    if (isAuthError(error) && error.status < 500) return undefined
    throw error
  }
}
