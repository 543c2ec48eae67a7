/** What a route does; `answer.ts` says how. */
export type RouteName = 'token' | 'refresh' | 'validate' | 'revoke' | 'me'

interface Route {
  readonly path: string
  readonly methods: readonly string[]
  readonly name: RouteName
}

/** The path the service's routes stand under, unless the host names another. */
export const defaultNamespace = '/jwt-auth/v1'

// `HEAD` goes where `GET` goes (RFC 9110, section 9.3.2).
const routes: readonly Route[] = [
  { path: '/token', methods: ['POST'], name: 'token' },
  { path: '/token/refresh', methods: ['POST'], name: 'refresh' },
  { path: '/refresh', methods: ['POST'], name: 'refresh' },
  { path: '/token/validate', methods: ['POST'], name: 'validate' },
  { path: '/validate', methods: ['POST'], name: 'validate' },
  { path: '/token/revoke', methods: ['POST'], name: 'revoke' },
  { path: '/me', methods: ['GET', 'HEAD'], name: 'me' },
]

/** Where a request goes. */
export type RouteMatch =
  | { readonly kind: 'route'; readonly name: RouteName }
  | { readonly kind: 'method-not-allowed'; readonly allowedMethods: readonly string[] }
  /** Below our namespace, and not ours. */
  | { readonly kind: 'no-route' }
  /** The host's: another path, or `OPTIONS`, which the host's CORS middleware answers. */
  | { readonly kind: 'elsewhere' }

/**
 * Finds the route of a request.
 *
 * @param target the request target below the mount path, query included; one slash at its end does not count
 */
export const matchRoute = (namespace: string, method: string, target: string): RouteMatch => {
  const path = readPath(target)
  if (method === 'OPTIONS' || (path !== namespace && !path.startsWith(`${namespace}/`))) return { kind: 'elsewhere' }
  const below = path.slice(namespace.length).replace(/\/$/, '')
  const route = routes.find((candidate) => candidate.path === below)
  if (route === undefined) return { kind: 'no-route' }
  if (route.methods.includes(method)) return { kind: 'route', name: route.name }
  return { kind: 'method-not-allowed', allowedMethods: route.methods }
}

// A request target may be a whole URL (RFC 9112, section 3.2.2).
const readPath = (target: string): string => {
  const [path = ''] = target.split(/[?#]/, 1)
  return path.replace(/^https?:\/\/[^/]*/i, '')
}
