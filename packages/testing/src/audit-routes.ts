import type { GuardOptions } from '@jwt-auth/express'
import { readGuardOptions } from './express-marks.js'
import { type Endpoint, findEndpoints, type Step } from './find-endpoints.js'
import { areDisjoint, type Comparison, compareToMount, formatPath } from './route-path.js'

/**
 * Who reaches a route: requests that a guard authenticated (`guarded`), these and anonymous
 * requests (`optional`), or every request (`unguarded`). `unknown` if the application does not show
 * it.
 */
type RouteAccess = 'guarded' | 'optional' | 'unguarded' | 'unknown'

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
  const { method, path } = endpoint
  const found = listReachedSteps(endpoint).flatMap((step) => {
    const options = readGuardOptions(step.handle)
    // Why some requests may reach the handler without the guard.
    return options === undefined ? [] : { step, options, doubt: findDoubt(endpoint, step) }
  })
  const certain = found.filter(({ doubt }) => doubt === undefined)
  const [doubted] = found.filter(({ options, doubt }) => !options.optional && doubt !== undefined)
  const isGuarded = certain.some(({ options }) => !options.optional)
  const isUnknown = certain.length === 0 && method === 'USE'
  const reason = doubted?.doubt ?? (isUnknown ? 'Express does not show the routes of a mounted function' : undefined)
  const open = certain.length > 0 ? 'optional' : 'unguarded'
  const route: AuditedRoute = {
    method,
    path: formatPath(path),
    access: isGuarded ? 'guarded' : reason === undefined ? open : 'unknown',
    ...(!isGuarded && reason !== undefined && { reason }),
    rules: certain.flatMap(({ options }) => describeRules(options)),
  }
  return { route, endpoint, guards: certain.map(({ step }) => step) }
}

/** Describes the rules of a guard, one by one. */
const describeRules = ({ checkUser, allow, maxAuthAgeSeconds }: GuardOptions): readonly string[] => [
  ...(checkUser ? ['checkUser'] : []),
  ...(maxAuthAgeSeconds === undefined ? [] : [`maxAuthAgeSeconds ${maxAuthAgeSeconds}`]),
  ...(allow === undefined ? [] : [allow.scopes?.length ? `scope ${allow.scopes.join(' ')}` : 'allow']),
]

/** Returns the functions that requests for an endpoint may run, and at the end its handler. */
export const listReachedSteps = (endpoint: Endpoint): readonly Step[] =>
  endpoint.steps.filter((step) => compareToStep(endpoint, step) !== 'elsewhere')

const findDoubt = (endpoint: Endpoint, guard: Step): string | undefined => {
  const { handler } = endpoint
  const [container] = guard.containers
  // There, `next('route')` and `next('router')` may skip the guard.
  if (!handler.containers.some((one) => one === container)) return 'the guard is in another route or router'
  if (compareToStep(endpoint, guard) === 'unclear')
    return `the guard at ${formatPath(guard.path)} may not match all URLs`
  const beside = listReachedSteps(endpoint).filter(({ containers: [own] }) => own === container)
  const isShut = beside.slice(0, beside.indexOf(guard)).some(({ isExact, handle }) => isExact && handle.length < 3)
  if (isShut) return 'a function without `next` is before the guard'
  // After an error, Express skips all functions up to an error handler, which may call `next()`. An
  // error handler at `/a/b` runs for some URLs of a route `/a/:x`.
  const after = endpoint.steps.slice(endpoint.steps.indexOf(guard))
  const ofErrors = after.filter(({ handle, containers: [own] }) => handle.length === 4 && own === container)
  const isSkipped = ofErrors.some(({ path }) => !areDisjoint(endpoint.path, path))
  return isSkipped ? 'an error handler is between the guard and the handler' : undefined
}

/**
 * Compares the path of an endpoint with that of a function. A function of a route does not run
 * below its path.
 */
const compareToStep = ({ method, path }: Endpoint, step: Step): Comparison => {
  const comparison = compareToMount(path, step.path)
  const hasPathsBelow = method === 'USE' || path.length > step.path.length
  return step.isExact && hasPathsBelow && comparison === 'below' ? 'elsewhere' : comparison
}
