import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Auth,
  type AuthenticationResult,
  isAuthError,
  type KeyEntry,
  type Sessions,
  type TokenService,
  type TokenServiceOptions,
  type User,
} from '@jwt-auth/core'
import {
  createServiceBinding,
  describeValue,
  readCookieMode,
  toAuthenticationResponse,
  usageError,
} from '@jwt-auth/core/internal'
import { createFailures, type Next } from './failures.js'
import { createGuardFactory, createRequestVerifier, type Middleware } from './guard.js'
import type { GuardOptions, RequestRules } from './guard-options.js'
import { createGuardedRequests } from './guarded-requests.js'
import { createJwksFactory } from './jwks.js'
import { readHeader, send, type WebRequest } from './node-http.js'
import { createOperations, type RequestOperations } from './operations.js'
import { httpOptionsKey, type JwtAuthOptions, refuseRequest, resolveHttpOptions, signingKey } from './options.js'
import { createRouteHandler } from './routes.js'
import { warnOfGuardedLogin } from './warnings.js'

/**
 * What {@link jwtAuth} returns: middleware that responds on the routes of the service and passes
 * all other requests on. `U` is your type of a user, and `C` is what your option `claims` returns.
 */
export interface JwtAuth<U extends User = User, C extends object = object>
  extends Pick<TokenService<U, C>, 'sessions' | 'setKeys' | 'close'>,
    RequestOperations<U> {
  /**
   * Responds to a request on the routes of the service. Passes all other requests to `next`;
   * without `next`, responds with 404.
   */
  (req: IncomingMessage, res: ServerResponse, next?: Next): void
  /**
   * Creates a guard for a route, for all methods of the route. Mount CORS before guarded routes.
   *
   * @example
   * ```ts
   * app.get('/reports', auth.guard(), (req, res) => res.json({ userId: auth.getAuth(req).userId }))
   * ```
   */
  guard<Req extends IncomingMessage = IncomingMessage>(options?: GuardOptions<Auth<U['id'], C>, Req>): Middleware<Req>
  /**
   * Returns the user id, the session and the claims of a request behind a guard of this service.
   * Ignores what other middleware assigns to `req.auth`.
   *
   * @throws an `AuthError` `jwt_auth_internal_error` (500) if no guard of this service
   *   authenticated the request: a route without a guard fails instead of serving everybody.
   *   `onError` receives the method and the path of the request.
   * @example
   * ```ts
   * app.delete('/account', auth.guard(), (req, res) => deleteUser(auth.getAuth(req).userId))
   * ```
   */
  getAuth(req: IncomingMessage): Auth<U['id'], C>
  /**
   * Returns the same as `getAuth`. Returns `undefined` if no guard of this service authenticated
   * the request: behind `guard({ optional: true })` without a token, and without a guard.
   *
   * @example
   * ```ts
   * app.get('/news', auth.guard({ optional: true }), (req, res) => {
   *   res.json({ for: auth.getOptionalAuth(req)?.userId })
   * })
   * ```
   */
  getOptionalAuth(req: IncomingMessage): Auth<U['id'], C> | undefined
  /**
   * Returns the user of a request behind `guard({ checkUser: true })`, as `users.findById` returned
   * them to this guard.
   *
   * @throws an `AuthError` `jwt_auth_internal_error` (500) if the last guard of the request did not
   *   look a user up
   * @example
   * ```ts
   * app.get('/profile', auth.guard({ checkUser: true }), (req, res) => {
   *   res.json({ email: auth.getUser(req).email })
   * })
   * ```
   */
  getUser(req: IncomingMessage): U
  /**
   * Checks an access token as the guard does, for sockets and jobs. Resolves to its user, session
   * and claims. Refuses tokens that are bound to a key (`dpop.bind: 'all-tokens'`), because it sees
   * no proof.
   *
   * @throws an `AuthError` `jwt_auth_invalid_token` when the token is invalid or bound, or its
   *   session has ended; `jwt_auth_unavailable` when the storage fails
   */
  verify(accessToken: string): Promise<Auth<U['id'], C>>
  /**
   * Checks a request as a guard does, where no middleware runs: with a `Request` of the Fetch API
   * (Hono, h3, Next.js, SvelteKit), or with Node's request (guards of NestJS, WebSocket upgrades).
   * Resolves to the user, the session and the claims. For Node's request, `getAuth` then returns
   * the same. Takes the rules of a guard: `allow`, `maxAuthAgeSeconds` and `checkUser`.
   *
   * The address in `request_rejected` events is `null` for a `Request`, which has no address.
   *
   * @throws an `AuthError` with the code with which a guard responds, such as
   *   `jwt_auth_no_auth_header`, `jwt_auth_invalid_token`, `jwt_auth_forbidden` or
   *   `jwt_auth_unavailable`. Pass the error to `toErrorResponse`.
   * @throws TypeError for a wrong option, and for a request of Fastify or Koa instead of Node's
   * @example
   * ```ts
   * app.get('/reports', async ({ req }) => {
   *   const { userId } = await auth.verifyRequest(req.raw)
   *   return Response.json({ userId })
   * })
   * app.onError((error) => auth.toErrorResponse(error)) // Hono
   * ```
   */
  verifyRequest<Req extends IncomingMessage | WebRequest>(
    request: Req,
    options?: RequestRules<Auth<U['id'], C>, Req>,
  ): Promise<Auth<U['id'], C>>
  /**
   * Creates the handler that serves the public keys, for services that verify access tokens
   * themselves. Others may cache the keys for five minutes. Publish a new key for at least this
   * time before it signs.
   *
   * @throws TypeError for a service with secrets, which are never published
   * @example
   * ```ts
   * app.use('/.well-known/jwks.json', auth.jwks())
   * ```
   */
  jwks(): Middleware
  /**
   * Creates the error handler for your own routes. It responds to an `AuthError` as the routes of
   * the service do, and passes every other error on. Mount it after your routes.
   *
   * @example
   * ```ts
   * app.use(auth.errorHandler())
   * ```
   */
  errorHandler(): (error: unknown, req: IncomingMessage, res: ServerResponse, next: (error: unknown) => void) => void
  /**
   * Responds with an error as the routes of the service do: with the status of an `AuthError`, and
   * with 500 `jwt_auth_internal_error` for any other value. Calls `onError` for failures that the
   * client did not cause.
   *
   * @example
   * ```ts
   * app.use((error, req, res, next) => auth.sendError(res, error))
   * ```
   */
  sendError(res: ServerResponse, thrown: unknown): void
  /**
   * Returns the `Response` of the Fetch API that `sendError` would send. Calls `onError` for
   * failures that the client did not cause.
   *
   * @example
   * ```ts
   * export const GET = async (request: Request) => {
   *   try {
   *     const { userId } = await auth.verifyRequest(request)
   *     return Response.json({ userId })
   *   } catch (error) {
   *     return auth.toErrorResponse(error)
   *   }
   * }
   * ```
   */
  toErrorResponse(thrown: unknown): Response
  /**
   * Sends the response of a login, with status, headers and body, for a new session. Use it in your
   * own routes that log a user in: after a password change, a sign-up or single sign-on. The
   * refresh token is in a cookie if the request asks for that (option `cookies`).
   *
   * @example
   * ```ts
   * auth.sendTokens(res, await auth.openSession(req, userId))
   * ```
   */
  sendTokens(res: ServerResponse, result: AuthenticationResult): void
}

/**
 * Creates the service as middleware for Express 5, Express 4, Connect and `node:http`. The
 * middleware has the routes for login, refresh, validate, revoke and the current user.
 * `auth.guard()` protects your own routes.
 *
 * @throws TypeError that names the wrong option
 * @example
 * ```ts
 * const auth = jwtAuth({ secret, issuer: 'https://api.example.com', users, storage })
 * app.use(auth)
 * app.get('/reports', auth.guard(), (req, res) => res.json({ userId: auth.getAuth(req).userId }))
 * ```
 */
export function jwtAuth<U extends User, C extends object = object>(options: JwtAuthOptions<U, C>): JwtAuth<U, C>
// Only the signature has the types of the application, as in createTokenService.
export function jwtAuth(options: JwtAuthOptions): JwtAuth {
  const { own, bind } = resolveHttpOptions(options)
  const binding = createServiceBinding(own)
  const { service, report } = binding
  const http = bind(binding.options)
  const { sendError, toErrorResponse, failBy, prepared } = createFailures(report, http)
  const fail = failBy(http.errorHandling)
  const requests = createGuardedRequests(report, http)

  const sendTokens: JwtAuth['sendTokens'] = (res, result) => {
    try {
      requireTokens(result)
      // Adapters of serverless platforms may pass a response without its request.
      const { req }: { readonly req?: IncomingMessage } = res
      const cookies = req && readCookieMode({ readHeader: (name) => readHeader(req, name) }, http.cookies)
      send(res, toAuthenticationResponse(result, cookies))
    } catch (thrown) {
      sendError(res, thrown)
    }
  }

  const { users, storage, claims, dpop, readAuthorization } = own
  const { issuer, system } = binding.options
  const operations = createOperations({ service, users, issuer, cookies: http.cookies, requests })
  const errorHandler = (options?: unknown): ReturnType<JwtAuth['errorHandler']> => {
    refuseRequest(options, 'auth.errorHandler', 'auth.errorHandler()')
    return (error, _req, res, next) => (isAuthError(error) ? sendError(res, error) : next(error))
  }

  const handler = createRouteHandler(binding, http, fail)
  Object.defineProperty(handler, httpOptionsKey, { value: http })
  let presentOptions: TokenServiceOptions = own
  const openSessions = (changes: Partial<TokenServiceOptions>): Sessions =>
    createServiceBinding({ ...presentOptions, ...quiet, ...changes }).service.sessions
  Object.defineProperty(handler, signingKey, {
    value: { openSessions, options: { issuer, storage, system, claims, dpop, readAuthorization } },
  })
  const guard = createGuardFactory(binding, {
    requests,
    failBy,
    onNoToken: (req) => warnOfGuardedLogin(http.namespace, req),
    errorHandling: http.errorHandling,
  })

  return Object.assign(handler, {
    guard,
    getAuth: requests.getAuth,
    getOptionalAuth: requests.getOptionalAuth,
    getUser: requests.getUser,
    ...prepared({
      ...operations,
      verify: (accessToken: string) => service.authorize(accessToken),
      verifyRequest: createRequestVerifier(binding, requests),
    }),
    sessions: prepared(service.sessions),
    setKeys: (keys: readonly KeyEntry[]) => {
      service.setKeys(keys)
      presentOptions = { ...own, algorithm: undefined, keys: [...keys] }
    },
    jwks: createJwksFactory(service, fail),
    sendError,
    toErrorResponse,
    sendTokens,
    errorHandler,
    close: service.close,
  })
}

// No events, limits and purges.
const quiet = { onEvent: undefined, rateLimits: false, purgeIntervalSeconds: false } as const

const requireTokens = (result: unknown): void => {
  if (typeof result === 'object' && result !== null && 'accessToken' in result) return
  throw usageError(
    'sendTokens',
    `auth.sendTokens(res, tokens) needs the result of a login; received ${describeValue(result, true)}.`,
  )
}
