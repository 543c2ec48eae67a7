import { readPresentedToken } from '../dpop/presented-token.js'
import { AuthError } from '../errors/auth-error.js'
import type { AuthErrorCode } from '../errors/error-table.js'
import type { User } from '../ports/user-directory.js'
import type { ServiceBinding } from '../token-service.js'
import { type CookiePolicy, type RequestHeaders, readCookieMode, readRefreshCookie } from './cookies.js'
import { readBody } from './read-body.js'
import { type Parameters, readTexts, type WireRequest } from './request.js'
import {
  noContent,
  toAuthenticationResponse,
  toRevocationResponse,
  toSessionsResponse,
  toUserResponse,
  toValidationResponse,
  type WireResponse,
} from './response.js'

/** The default path of the routes. */
export const defaultNamespace = '/jwt-auth/v1'

/** The options that the routes depend on. */
export interface RouteOptions {
  /** The path of the routes. */
  readonly namespace: string
  /** Whether `application/x-www-form-urlencoded` bodies are accepted. */
  readonly formBodies: boolean
  /** How refresh tokens are kept in cookies. `undefined` if they are not. */
  readonly cookies: CookiePolicy | undefined
  /** Whether users may list and end their own sessions. */
  readonly sessionRoutes: boolean
}

/** What a route needs to respond. */
export interface RouteCall extends Pick<ServiceBinding, 'service' | 'admit' | 'getProfile'> {
  /** The request. */
  readonly request: WireRequest
  /** The options of the routes. */
  readonly options: RouteOptions
  /** The last part of the path. */
  readonly id: string
}

/** A route of the service. An OpenAPI document describes it by everything but `handle`. */
export interface Route {
  /** The name of the operation. Unique. */
  readonly name: string
  /** What the operation does, in one sentence. */
  readonly summary: string
  /** The method. `HEAD` is allowed where `GET` is (RFC 9110, section 9.3.2). */
  readonly method: 'DELETE' | 'GET' | 'POST'
  /**
   * The paths below the namespace: the one of the specification, and its aliases. `{id}` is any
   * last part.
   */
  readonly paths: readonly string[]
  /** The members of the request body. `undefined` if the route reads an access token instead. */
  readonly body?: readonly string[]
  /** What the body of a 200 contains. `undefined` for a 204. */
  readonly result?: 'AuthenticationResult' | 'CurrentUser' | 'RevokedToken' | 'Sessions' | 'ValidToken'
  /** The errors besides those of every route that reads a body, or an access token. */
  readonly errors?: readonly AuthErrorCode[]
  /** Whether the route reads the cookie of the refresh token, or only sets or deletes it. */
  readonly cookie?: 'reads' | 'sets'
  /** The option without which the route does not exist. */
  readonly needs?: 'sessionRoutes'
  /**
   * Reads the request, calls the operation, and returns the response.
   *
   * @throws an {@link AuthError} for every failure that the HTTP contract describes
   */
  readonly handle: (call: RouteCall) => Promise<WireResponse>
}

/**
 * Returns the refresh token of a request: that of the cookie, or without a policy that of the
 * parameters.
 *
 * @throws AuthError as {@link readRefreshCookie} does; `jwt_auth_invalid_request` without a text
 */
export const readRefreshToken = (headers: RequestHeaders, cookies: CookiePolicy | undefined, parameters: Parameters) =>
  cookies === undefined
    ? readTexts(parameters, ['refresh_token']).refresh_token
    : readRefreshCookie(headers, cookies, parameters)

const routes: readonly Route[] = [
  {
    name: 'logIn',
    summary: 'Exchanges a user name and a password for tokens',
    method: 'POST',
    paths: ['/token'],
    body: ['username', 'password'],
    result: 'AuthenticationResult',
    errors: ['jwt_auth_failed'],
    cookie: 'sets',
    handle: async ({ service, request, options }) => {
      const cookies = readCookieMode(request, options.cookies)
      const credentials = readTexts(await readBody(request.body, options.formBodies), ['username', 'password'])
      return toAuthenticationResponse(await service.login(credentials, request), cookies)
    },
  },
  {
    name: 'refreshTokens',
    summary: 'Exchanges a refresh token for new tokens',
    method: 'POST',
    paths: ['/token/refresh', '/refresh'],
    body: ['refresh_token'],
    result: 'AuthenticationResult',
    errors: ['jwt_auth_invalid_refresh_token'],
    cookie: 'reads',
    handle: async ({ service, request, options }) => {
      const cookies = readCookieMode(request, options.cookies)
      const parameters = await readBody(request.body, options.formBodies)
      const refreshToken = readRefreshToken(request, cookies, parameters)
      return toAuthenticationResponse(await service.refresh(refreshToken, request), cookies)
    },
  },
  {
    name: 'validateToken',
    summary: 'Checks an access token',
    method: 'POST',
    paths: ['/token/validate', '/validate'],
    result: 'ValidToken',
    handle: async ({ admit, request }) => {
      await admit(request, {}, 'validate')
      return toValidationResponse()
    },
  },
  {
    name: 'revokeToken',
    summary: 'Ends the session of an access token',
    method: 'POST',
    paths: ['/token/revoke'],
    result: 'RevokedToken',
    errors: ['jwt_auth_token_already_revoked', 'jwt_auth_token_not_found', 'jwt_auth_revoke_failed'],
    cookie: 'sets',
    handle: async ({ service, request, options }) => {
      const cookies = readCookieMode(request, options.cookies)
      const { accessToken, dpop } = readPresentedToken(request)
      const { revokedAt } = await service.revoke(accessToken, { address: request.address, dpop })
      return toRevocationResponse(revokedAt, cookies)
    },
  },
  {
    name: 'getCurrentUser',
    summary: 'Returns the user of an access token',
    method: 'GET',
    paths: ['/me'],
    result: 'CurrentUser',
    handle: async ({ admit, getProfile, request }) => {
      const { user } = await admit(request, { checkUser: true }, 'me')
      // `checkUser` finds the user, or rejects the request.
      return toUserResponse(user as User, await getProfile(user as User))
    },
  },
  {
    name: 'listSessions',
    summary: 'Returns the active sessions of the user of an access token',
    method: 'GET',
    paths: ['/sessions'],
    result: 'Sessions',
    needs: 'sessionRoutes',
    handle: async ({ admit, request, service }) => {
      const { auth } = await admit(request, {}, 'validate')
      return toSessionsResponse(await service.sessions.list(auth.userId), auth.sessionId)
    },
  },
  {
    name: 'endSession',
    summary: 'Ends one session of the user of an access token',
    method: 'DELETE',
    paths: ['/sessions/{id}'],
    errors: ['jwt_auth_token_not_found'],
    needs: 'sessionRoutes',
    handle: async ({ admit, request, service, id }) => {
      const { auth } = await admit(request, {}, 'validate')
      const outcome = await service.sessions.revoke(auth.userId, id)
      // The same for an unknown session and for a session of another user.
      if (outcome === 'not-found') throw new AuthError('jwt_auth_token_not_found', { message: 'Session not found' })
      return noContent
    },
  },
]

/** Returns the routes of a service with these options. */
export const listRoutes = (options: Pick<RouteOptions, 'sessionRoutes'>): readonly Route[] =>
  routes.filter(({ needs }) => needs === undefined || options[needs])

const routesByPath = new Map(routes.flatMap((route) => route.paths.map((path) => [path, route])))

/** The path of a request below the namespace. */
export interface RouteMatch {
  /** `undefined` if there is no such route. */
  readonly route: Route | undefined
  /** The last part of the path. */
  readonly id: string
}

/**
 * Finds the route of a request. Returns `undefined` for a request of the application: with another
 * path, or an `OPTIONS` request, which is for the CORS middleware.
 *
 * @param target The request target below the mount path, with its query. A slash at the end of the
 *   path is ignored.
 */
export const matchRoute = (
  options: Pick<RouteOptions, 'namespace' | 'sessionRoutes'>,
  method: string,
  target: string,
): RouteMatch | undefined => {
  const { namespace } = options
  const path = toPath(target)
  if (method === 'OPTIONS' || (path !== namespace && !path.startsWith(`${namespace}/`))) return undefined
  const below = path.slice(namespace.length).replace(/\/$/, '')
  const route = routesByPath.get(below) ?? routesByPath.get(below.replace(/[^/]+$/, '{id}'))
  const exists = route?.needs === undefined || options[route.needs]
  return { route: exists ? route : undefined, id: below.slice(below.lastIndexOf('/') + 1) }
}

/**
 * Returns the route of a match, if it has the method.
 *
 * @throws an {@link AuthError} `jwt_auth_no_route` or `jwt_auth_method_not_allowed`
 */
export const requireRoute = ({ route }: RouteMatch, method: string): Route => {
  if (route === undefined) throw new AuthError('jwt_auth_no_route')
  const allowedMethods = route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]
  if (allowedMethods.includes(method)) return route
  throw new AuthError('jwt_auth_method_not_allowed', { allowedMethods })
}

/** Returns the path of a request target, which may be a whole URL (RFC 9112, section 3.2.2). */
export const toPath = (target: string): string => {
  const [path = ''] = target.split(/[?#]/, 1)
  return path.replace(/^https?:\/\/[^/]*/i, '')
}
