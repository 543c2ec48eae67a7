import { type Endpoint, findEndpoints, type Step } from './find-endpoints.js'
import { type FoundGuard, findGuards } from './find-guards.js'
import { formatPath } from './route-path.js'

/**
 * Who reaches a route: requests that a guard authenticated (`guarded`), these and anonymous
 * requests (`optional`), or every request (`unguarded`). `unknown` if the application does not show
 * it.
 */
export type RouteAccess = 'guarded' | 'optional' | 'unguarded' | 'unknown'

/** A route, and who reaches it. */
export interface AuditedRoute {
  /**
   * The method in upper case, `ALL` for every method, or `USE` for a function or an application
   * that is mounted with `use`.
   */
  readonly method: string
  /** The path as the application wrote it. `…` is a part that Express does not show. */
  readonly path: string
  /** Who reaches the route. */
  readonly access: RouteAccess
  /** The rules of its guards, such as `checkUser` and `scope reports:read`. */
  readonly rules: readonly string[]
  /** Why the access is unknown. Absent for all other routes. */
  readonly reason?: string
}

/**
 * Returns every route of an application or a router of Express 4 or 5, in the order in which it was
 * added. Runs nothing.
 *
 * A route is guarded only if a guard certainly stands before its handler. Functions that are
 * mounted without a path are not routes, such as `express.static('public')`. Nor are the parsers of
 * Express.
 *
 * @throws TypeError for a value that is no application or router of Express
 * @example
 * ```ts
 * console.table(auditRoutes(app))
 * ```
 */
export const auditRoutes = (app: object): readonly AuditedRoute[] =>
  findEndpoints(app).map((endpoint) => judge(endpoint).route)

/** An endpoint, and what was found about it. */
export interface Judgement {
  readonly route: AuditedRoute
  readonly endpoint: Endpoint
  /** The guards that certainly stand before the handler. */
  readonly guards: readonly Step[]
}

/** Decides who reaches an endpoint. */
export const judge = (endpoint: Endpoint): Judgement => {
  const found = findGuards(endpoint)
  const certain = found.filter(({ doubt }) => doubt === undefined)
  const route = {
    method: endpoint.method,
    path: formatPath(endpoint.path),
    ...toAccess(found, endpoint),
    rules: certain.flatMap(describeRules),
  }
  return { route, endpoint, guards: certain.map(({ step }) => step) }
}

const toAccess = (found: readonly FoundGuard[], { method }: Endpoint): Pick<AuditedRoute, 'access' | 'reason'> => {
  const required = found.filter(({ options }) => !options.optional)
  if (required.some(({ doubt }) => doubt === undefined)) return { access: 'guarded' }
  const [doubted] = required
  if (doubted?.doubt !== undefined) return { access: 'unknown', reason: doubted.doubt }
  if (found.some(({ doubt }) => doubt === undefined)) return { access: 'optional' }
  if (method !== 'USE') return { access: 'unguarded' }
  return { access: 'unknown', reason: 'Express does not show the routes of a mounted function' }
}

/** Describes the rules of a guard, one by one. */
const describeRules = ({ options: { checkUser, allow, maxAuthAgeSeconds } }: FoundGuard): readonly string[] => [
  ...(checkUser ? ['checkUser'] : []),
  ...(maxAuthAgeSeconds === undefined ? [] : [`maxAuthAgeSeconds ${maxAuthAgeSeconds}`]),
  ...(allow === undefined ? [] : [allow.scopes?.length ? `scope ${allow.scopes.join(' ')}` : 'allow']),
]
