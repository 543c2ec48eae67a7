import { refuse } from './auth-client-error.js'
import { type Credentials, createAuthRoutes } from './auth-routes.js'
import type { ClientContext } from './client-context.js'
import type { Dpop } from './dpop.js'
import type { ClientSettings } from './environment.js'
import { type Environment, findEnvironment } from './environment.js'
import { createGuardedFetch, findOrigin } from './guarded-fetch.js'
import { createLock } from './lock.js'
import { createLogins } from './logins.js'
import { createRetry } from './retry.js'
import type { AuthUser, SendRequest } from './session-state.js'
import { type AuthSnapshot, createSharedState } from './shared-state.js'
import { localStorageTokenStore, memoryTokenStore, type TokenStore } from './token-stores.js'
import { createTokens } from './tokens.js'

/** The options of {@link createAuthClient}. */
export interface AuthClientOptions {
  /**
   * The URL below which the routes are, such as `https://api.example.com/jwt-auth/v1`. In a page
   * also a path on its origin, such as `/jwt-auth/v1`.
   */
  readonly baseUrl: string
  /**
   * The origins that `fetch` sends access tokens to.
   * @default the origin of `baseUrl`
   */
  readonly origins?: readonly string[] | undefined
  /**
   * Where the session is kept between page loads. A client without a user reads the store again at
   * each call, and finds the login of another client with the same store. With
   * `transport: 'cookie'`, the store contains no token: only a note that a logout has to be
   * completed.
   * @default `memoryTokenStore()`; with `transport: 'cookie'` a key in `localStorage` that contains
   * `baseUrl`
   */
  readonly tokenStore?: TokenStore | undefined
  /**
   * How the refresh token travels: in the body of requests and responses, or in an `HttpOnly`
   * cookie, which your server has to enable.
   * @default 'body'
   */
  readonly transport?: 'body' | 'cookie' | undefined
  /**
   * Binds each session to a key of the browser, so that a copied token is useless: `dpop()` from
   * `@jwt-auth/client/dpop`. The server needs the option `dpop`.
   * @default sessions are bound to no key
   */
  readonly dpop?: Dpop | undefined
}

/**
 * The session of a user in all tabs of a browser, in an app or in a script. `Profile` is what the
 * option `profile` of your server returns.
 */
export interface AuthClient<Profile extends object = object> {
  /**
   * Logs a user in, in all tabs. A former session of the browser is forgotten, and stays valid on
   * the server: call `logout` before.
   *
   * @returns the user
   * @throws {@link AuthClientError} with the code of the server, such as `jwt_auth_failed` or
   * `jwt_auth_rate_limited`, or one of `network_error`, `timeout`, `invalid_response`;
   * `session_changed` if another login or a logout of this tab started later
   */
  readonly login: (credentials: Credentials) => Promise<AuthUser & Readonly<Profile>>
  /**
   * Logs a user in, in all tabs, with the response of your own route that called `sendTokens` on
   * the server: after a sign-up, a password change or a second factor. Call it immediately after
   * the response. With `transport: 'cookie'`, send the request to your route with the header
   * `X-JWT-Auth-Transport: cookie`.
   *
   * @returns the user
   * @throws {@link AuthClientError} with the code of an error response; `invalid_response` if the
   * response has no tokens of this transport; `session_changed` if a login or a logout of this tab
   * started later; `TypeError` for anything but a `Response`. Otherwise the errors of
   * `response.text()`
   * @example
   * ```ts
   * const response = await auth.fetch('/account/password', { method: 'PUT', headers, body })
   * await auth.loginWithResponse(response)
   * ```
   */
  readonly loginWithResponse: (response: Response) => Promise<AuthUser & Readonly<Profile>>
  /**
   * Logs the user out in all tabs and revokes the session. Never rejects. Without a network, the
   * tokens are forgotten, and the revocation is repeated in the background until the server
   * responds or the page ends. While the store cannot be read, its session is unknown: the client
   * revokes the session once the store can be read.
   */
  readonly logout: () => Promise<void>
  /**
   * Calls `fetch` with the access token of the user. Refreshes the token when needed, and repeats
   * the request once after a 401. Without a user, and for other origins than `origins`, no token is
   * sent. Relative URLs belong to the origin of `baseUrl`. Takes what `fetch` takes, also a
   * `Request` as `init`.
   *
   * @throws {@link AuthClientError} if the token has expired and no refresh succeeded in time: the
   * user stays logged in; `jwt_auth_invalid_refresh_token` if the session has ended: the user is
   * logged out, as with `jwt_auth_invalid_dpop_proof` if its key is missing; `session_changed` if
   * the user changed while the request waited for a token. Otherwise the errors of `fetch`
   * @example
   * ```ts
   * const response = await auth.fetch('/reports', { signal })
   * ```
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /**
   * Returns a valid access token for other clients (axios, WebSocket, GraphQL), and refreshes it
   * when needed. Do not keep the token. After a 401, pass the token of the request as `refused`:
   * the client then refreshes once, unless this token was replaced already.
   *
   * @returns the token of the current user, or `undefined` without a user
   * @throws {@link AuthClientError} if the token has expired or was refused, and no refresh
   * succeeded in time: the user stays logged in. `jwt_auth_invalid_refresh_token` if the session
   * has ended: the user is logged out, as with `jwt_auth_invalid_dpop_proof` if its key is missing
   * @example
   * ```ts
   * const token = await auth.getAccessToken({ refused: tokenOfTheRequest })
   * ```
   */
  readonly getAccessToken: (options?: { readonly refused?: string | undefined }) => Promise<string | undefined>
  /**
   * Calls `listener` after each change of the snapshot. Returns the function that ends the
   * subscription.
   */
  readonly subscribe: (listener: () => void) => () => void
  /** Returns the status and the user: the same object until one of them changes. */
  readonly getSnapshot: () => AuthSnapshot<Profile>
}

/**
 * Creates the client of a service. Create one client per page, or per user in a server process.
 * `Profile` is what the option `profile` of your server returns: the user has its members.
 *
 * On a server that renders pages, a client sends nothing until its first call.
 *
 * @throws `TypeError` with the name of an unknown option, or with what the value of an option must
 * be
 * @example
 * ```ts
 * const auth = createAuthClient({ baseUrl: 'https://api.example.com/jwt-auth/v1' })
 * await auth.login({ username, password })
 * const response = await auth.fetch('/reports')
 * ```
 */
export const createAuthClient = <Profile extends object = object>(options: AuthClientOptions): AuthClient<Profile> =>
  // The users have the members that the server returned, which only the application knows.
  createClient(options, findEnvironment()) as AuthClient<Profile>

/** Creates a client that uses the given platform. */
export const createClient = (options: AuthClientOptions, environment: Environment): AuthClient => {
  const { baseUrl: url, origins, transport = 'body', tokenStore, dpop, ...unknown } = options ?? {}
  for (const name in unknown) refuse('baseUrl, origins, transport, tokenStore or dpop', name)
  const { page } = environment
  const usesCookie = transport === 'cookie'
  if (!usesCookie && transport !== 'body') refuse('transport body or cookie', transport)
  const store = tokenStore ?? (usesCookie ? localStorageTokenStore() : memoryTokenStore())
  if (!store.get || !store.set || !store.clear)
    refuse('tokenStore localStorageTokenStore() or { get, set, clear }', store)
  const baseUrl = String(url)
    // Where no page is, only calls fail.
    .replace(/^(?=\/(?!\/))/, page?.location.origin ?? 'http://invalid')
    .replace(/\/+$/, '')
  const baseOrigin = requireOrigin(baseUrl)
  const allowed = (origins ?? [baseUrl]).map?.(requireOrigin) ?? refuse('array of origins', origins)
  const settings: ClientSettings = { ...environment, name: `jwt-auth ${transport} ${baseUrl}`, usesCookie, store }

  const shared = createSharedState(settings)
  const send: SendRequest = dpop
    ? (dpop.connect ?? refuse('dpop()', dpop))(settings.name, settings, shared.get)
    : (input, init) => fetch(input, init)
  const routes = createAuthRoutes(settings, baseUrl, send)
  const context: ClientContext = { ...settings, shared, routes, lock: createLock(settings) }
  const tokens = createTokens(context)
  const { load, ...logins } = createLogins(context, tokens)
  const getSession = (refusedToken?: string) => load().then(() => tokens.getSession(refusedToken))
  // A server that renders a page has no cookie, and sends nothing.
  if (page || !usesCookie) createRetry(environment)(load).catch(() => {})

  // With cookies, nothing of the session is stored. A page that comes back from the browser's
  // history asks the server, because the user may have logged out on another page.
  page?.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) usesCookie ? tokens.refresh().catch(() => {}) : shared.sync()
  })

  return {
    ...logins,
    fetch: createGuardedFetch(shared, getSession, send, allowed, baseOrigin),
    getAccessToken: async ({ refused } = {}) => (await getSession(refused))?.accessToken,
    subscribe: shared.subscribe,
    getSnapshot: shared.getSnapshot,
  }
}

const requireOrigin = (url: string): string => findOrigin(url) ?? refuse('absolute baseUrl, origins', url)
