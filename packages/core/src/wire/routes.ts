import { readPresentedToken } from '../dpop/presented-token.js'
import type { User } from '../ports/user-directory.js'
import type { ServiceBinding } from '../token-service.js'
import { type CookiePolicy, readCookieMode, readRefreshCookie } from './cookies.js'
import { type BodyOptions, readBody } from './read-body.js'
import { readCredentials, readRefreshToken, type WireRequest } from './request.js'
import {
  toAuthenticationResponse,
  toRevocationResponse,
  toUserResponse,
  toValidationResponse,
  type WireResponse,
} from './response.js'

/** The name of a route. Several paths may have the same name. */
export type RouteName = 'token' | 'refresh' | 'validate' | 'revoke' | 'me'

/** A path of the service. */
export interface Route {
  /** The path below the namespace. */
  readonly path: string
  /** The allowed methods. `OPTIONS` is left to the application. */
  readonly methods: readonly string[]
  /** The name of the operation. */
  readonly name: RouteName
}

/** The default path of the routes. */
export const defaultNamespace = '/jwt-auth/v1'

/** All paths of the service. `HEAD` is allowed where `GET` is (RFC 9110, section 9.3.2). */
export const routes: readonly Route[] = [
  { path: '/token', methods: ['POST'], name: 'token' },
  { path: '/token/refresh', methods: ['POST'], name: 'refresh' },
  { path: '/refresh', methods: ['POST'], name: 'refresh' },
  { path: '/token/validate', methods: ['POST'], name: 'validate' },
  { path: '/validate', methods: ['POST'], name: 'validate' },
  { path: '/token/revoke', methods: ['POST'], name: 'revoke' },
  { path: '/me', methods: ['GET', 'HEAD'], name: 'me' },
]

/** The route of a request. */
export type RouteMatch =
  | { readonly kind: 'route'; readonly name: RouteName }
  | { readonly kind: 'method-not-allowed'; readonly allowedMethods: readonly string[] }
  /** The path is below the namespace, but there is no such route. */
  | { readonly kind: 'no-route' }
  /**
   * The request is for the application: it has another path, or is an `OPTIONS` request for the
   * CORS middleware.
   */
  | { readonly kind: 'elsewhere' }

/**
 * Finds the route of a request.
 *
 * @param target The request target below the mount path, with its query. A slash at the end of the
 *   path is ignored.
 */
export const matchRoute = (namespace: string, method: string, target: string): RouteMatch => {
  const path = toPath(target)
  if (method === 'OPTIONS' || (path !== namespace && !path.startsWith(`${namespace}/`))) return { kind: 'elsewhere' }
  const below = path.slice(namespace.length).replace(/\/$/, '')
  const route = routes.find((candidate) => candidate.path === below)
  if (route === undefined) return { kind: 'no-route' }
  if (route.methods.includes(method)) return { kind: 'route', name: route.name }
  return { kind: 'method-not-allowed', allowedMethods: route.methods }
}

/** Returns the path of a request target, which may be a whole URL (RFC 9112, section 3.2.2). */
export const toPath = (target: string): string => {
  const [path = ''] = target.split(/[?#]/, 1)
  return path.replace(/^https?:\/\/[^/]*/i, '')
}

/** The options that the routes depend on. */
export interface RouteOptions extends BodyOptions {
  /** How refresh tokens are kept in cookies. `undefined` if they are not. */
  readonly cookies: CookiePolicy | undefined
}

/** A request of a route, and what its handler needs. */
interface RouteRequest extends Pick<ServiceBinding, 'service' | 'admit'> {
  readonly request: WireRequest
  readonly options: RouteOptions
}

const handlers: Readonly<Record<RouteName, (call: RouteRequest) => Promise<WireResponse>>> = {
  token: async ({ service, request, options }) => {
    const cookies = readCookieMode(request.readHeader, options.cookies)
    const credentials = readCredentials(await readBody(request.body, options))
    return toAuthenticationResponse(await service.authenticate(credentials, request), cookies)
  },

  refresh: async ({ service, request, options }) => {
    const cookies = readCookieMode(request.readHeader, options.cookies)
    const parameters = await readBody(request.body, options)
    const refreshToken =
      cookies === undefined ? readRefreshToken(parameters) : readRefreshCookie(request.readHeader, cookies, parameters)
    return toAuthenticationResponse(await service.refresh(refreshToken, request), cookies)
  },

  validate: async ({ admit, request }) => {
    await admit(request, {}, 'validate')
    return toValidationResponse()
  },

  revoke: async ({ service, request, options }) => {
    const cookies = readCookieMode(request.readHeader, options.cookies)
    const { accessToken, dpop } = readPresentedToken(request)
    return toRevocationResponse(await service.revoke(accessToken, { address: request.address, dpop }), cookies)
  },

  me: async ({ admit, request }) => {
    const { user } = await admit(request, { checkUser: true }, 'me')
    // `checkUser` finds the user, or rejects the request.
    return toUserResponse(user as User)
  },
}

/**
 * Reads a request, calls the operation of its route, and returns the response.
 *
 * @throws an {@link AuthError} for every failure that the HTTP contract describes
 */
export const handleRoute = (route: RouteName, call: RouteRequest): Promise<WireResponse> => handlers[route](call)
