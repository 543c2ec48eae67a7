import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Auth,
  AuthError,
  type AuthenticationResult,
  createTokenService,
  type Sessions,
  type TokenService,
  toAuthError,
  type UserId,
} from '@jwt-auth/core'
import {
  answerRoute,
  isServerFault,
  matchRoute,
  type RouteName,
  toAuthenticationResponse,
  toErrorResponse,
  type WireResponse,
} from '@jwt-auth/core/wire'
import { type CreateGuard, createGuardFactory, type Next } from './guard.js'
import { type CreateJwksHandler, createJwksFactory } from './jwks.js'
import { toWireRequest, watchConnection } from './node-request.js'
import { send } from './node-response.js'
import { type JwtAuthOptions, resolveHttpOptions } from './options.js'
import { getOrigin } from './request-auth.js'
import { warnOfProxy } from './warn-of-proxy.js'

/** What {@link jwtAuth} returns: middleware that answers the service's routes and passes everything else on. */
export interface JwtAuth {
  (req: IncomingMessage, res: ServerResponse, next?: Next): void
  /** Guards a route: `app.get('/reports', auth.guard(), …)`. Every method of the route; mount CORS before it. */
  readonly guard: CreateGuard
  /** Checks an access token as the guard does, for sockets and jobs. Throws an `AuthError`. */
  readonly verify: (accessToken: string) => Promise<Auth>
  /**
   * Checks the password of a signed-in user again, before a sensitive change such as a new password or a deletion. Failed checks count
   * towards the limits of logins, by the address that `req` had when the guard ran. Behind a guard the check leaves the hashing queue
   * when the client disconnects. Resolves to `false` for a wrong password, and for a value that is no text of 1 to 4,096 UTF-16 code units.
   *
   * @throws {AuthError} `jwt_auth_rate_limited` (429) when a limit is used up; `jwt_auth_unavailable` (503) when the password cannot be
   * checked; `jwt_auth_invalid_request` when the client has disconnected. Pass the error to `sendError`.
   * @example if (!(await auth.checkPassword(getAuth(req).userId, req.body.password, req))) return res.sendStatus(403)
   */
  readonly checkPassword: (userId: UserId, password: unknown, req: IncomingMessage) => Promise<boolean>
  readonly sessions: Sessions
  /**
   * Exchanges the keys without a restart, at once and whole, for what the option `keys` could hold instead: for a service made
   * with `secret` too. Throws a `TypeError`, and changes nothing, when they are wrong.
   *
   * @example auth.setKeys([{ key: newPem, algorithm: 'ES256', state: 'active' }, { key: oldPem, algorithm: 'ES256', state: 'verify' }])
   */
  readonly setKeys: TokenService['setKeys']
  /**
   * Serves the public keys, for those who check access tokens themselves: `app.use('/.well-known/jwks.json', auth.jwks())`.
   * Throws a `TypeError` for a service with secrets: those are never published.
   */
  readonly jwks: CreateJwksHandler
  /**
   * Answers an error in the contract's shape: an `AuthError` as what it is, anything else as 500 `jwt_auth_internal_error`.
   * For a host whose own routes should fail the same way.
   */
  readonly sendError: (res: ServerResponse, thrown: unknown) => void
  /**
   * Sends the response of a login, status, headers and body, with the pair of tokens of a new session. Use it in your own routes
   * that log a user in: after a password change, a sign-up or single sign-on.
   *
   * @example auth.sendTokens(res, await auth.sessions.create(userId))
   */
  readonly sendTokens: (res: ServerResponse, result: AuthenticationResult) => void
  /** Lets nothing further begin and waits for what is under way. Clients the host made stay open. */
  readonly close: () => Promise<void>
}

/**
 * Login, refresh, validate, revoke and a bearer guard, for Express 5, Express 4, Connect and `node:http`. Throws a
 * `TypeError` that names the option when one is wrong.
 *
 * @example
 * const auth = jwtAuth({ secret, issuer: 'https://api.example.com', users, storage })
 * app.use(auth)
 * app.get('/reports', auth.guard(), (req, res) => res.json({ for: getAuth(req).userId }))
 */
export const jwtAuth = (options: JwtAuthOptions): JwtAuth => {
  const { http, serviceOptions } = resolveHttpOptions(options)
  const service = createTokenService(serviceOptions)

  const sendError = (res: ServerResponse, thrown: unknown): void => {
    const error = toAuthError(thrown)
    if (isServerFault(error)) service.report(error)
    send(res, toErrorResponse(error, http))
  }

  // Synchronous up to the operation: the client's address is read when the request arrives.
  const answer = async (route: RouteName, req: IncomingMessage, res: ServerResponse): Promise<WireResponse> =>
    answerRoute(route, { service, request: toWireRequest(req, res, http), options: http })

  const checkPassword: JwtAuth['checkPassword'] = (userId, password, req) => {
    const { address, res } = getOrigin(req)
    // A response that was sent says nothing about the client any more.
    const signal = res === undefined || res.writableEnded ? undefined : watchConnection(req, res)
    return service.checkPassword(userId, password, { address, signal })
  }

  const handle = (req: IncomingMessage, res: ServerResponse, next?: Next): void => {
    const match = matchRoute(http.namespace, req.method ?? '', req.url ?? '')
    switch (match.kind) {
      case 'route':
        warnOfProxy(req)
        answer(match.name, req, res).then(
          (response) => send(res, response),
          (thrown: unknown) => sendError(res, thrown),
        )
        return
      case 'method-not-allowed':
        sendError(res, new AuthError('jwt_auth_method_not_allowed', { allowedMethods: match.allowedMethods }))
        return
      case 'no-route':
        sendError(res, new AuthError('jwt_auth_no_route'))
        return
      case 'elsewhere':
        if (next === undefined) sendError(res, new AuthError('jwt_auth_no_route'))
        else next()
    }
  }

  return Object.assign(handle, {
    guard: createGuardFactory(service, sendError),
    verify: service.authorize,
    checkPassword,
    sessions: service.sessions,
    setKeys: service.setKeys,
    jwks: createJwksFactory(service, send, sendError),
    sendError,
    sendTokens: (res: ServerResponse, result: AuthenticationResult) => send(res, toAuthenticationResponse(result)),
    close: service.close,
  })
}
