import { METHODS } from 'node:http'
import { findRouter, type Handler, isRouter, type Layer, type Router, readPaths } from './express-layers.js'
import { isAuthMiddleware, readGuardOptions } from './express-marks.js'
import type { RoutePath } from './route-path.js'

/** A function that requests may run. */
export interface Step {
  readonly handle: Handler
  /** The layers with the function, which are several for `app.all`. */
  readonly layers: readonly Layer[]
  /** In upper case. `ALL` for every method. */
  readonly method: string
  readonly path: RoutePath
  /** Whether the function is in a route. It then runs only for the path, and not below it. */
  readonly isExact: boolean
  /**
   * Identify the mounts of the routers and the route that contain the function, the innermost
   * first.
   */
  readonly containers: readonly object[]
}

/**
 * What responds to a method and a path: the last function of a route, or a function that is mounted
 * with `use`.
 */
export interface Endpoint {
  /** `USE` for a function that is mounted. */
  readonly method: string
  readonly path: RoutePath
  readonly handler: Step
  /**
   * The functions that may run before the handler, and at the end the handler. Some are mounted at
   * other paths.
   */
  readonly steps: readonly Step[]
}

/** The functions of one route at one path, or one mounted function. */
type Group = readonly Step[]

/** Returns every endpoint of an application, also those of the routers that it mounts. */
export const findEndpoints = (app: object): readonly Endpoint[] => {
  const groups = listGroups(findRouter(app), [], [])
  const endpoints = groups.flatMap((group, position) => toEndpoints(group, groups.slice(0, position).flat()))
  return endpoints.filter(isShown)
}

const listGroups = (router: Router, base: RoutePath, outer: readonly object[]): readonly Group[] => {
  // A router that is mounted twice is two containers.
  const containers = [{}, ...outer]
  return router.stack.flatMap((layer) =>
    readPaths(layer, router).flatMap((relative): readonly Group[] => {
      const { handle, route } = layer
      const path = [...base, ...relative]
      if (route !== undefined)
        return [listFunctions(route.stack, { path, isExact: true, containers: [route, ...containers] })]
      if (isRouter(handle)) return listGroups(handle, path, containers)
      return [[{ handle, layers: [layer], method: 'ALL', path, isExact: false, containers }]]
    }),
  )
}

// `app.all` adds its functions once for each method.
const listFunctions = (stack: readonly Layer[], place: Pick<Step, 'path' | 'isExact' | 'containers'>): Group => {
  const steps = stack.map((layer): Step => {
    const { handle, method = 'ALL' } = layer
    const layers = stack.filter((other) => other.handle === handle)
    const isForAll = new Set(layers.map((each) => each.method)).size >= METHODS.length
    return { ...place, handle, method: isForAll ? 'ALL' : method.toUpperCase(), layers: isForAll ? layers : [layer] }
  })
  return steps.filter(({ layers }, position) => layers.length === 1 || layers[0] === stack[position])
}

const toEndpoints = (group: Group, before: readonly Step[]): readonly Endpoint[] =>
  listMethods(group).flatMap((method) => {
    const steps = [...before, ...group].filter((step) => step.method === method || step.method === 'ALL')
    const handler = group.findLast((step) => steps.includes(step) && isHandler(step))
    if (handler === undefined) return []
    return [{ method, path: handler.path, handler, steps: steps.slice(0, steps.indexOf(handler) + 1) }]
  })

// Where a function for every method stands before the functions of single methods, it passes their
// requests on.
const listMethods = (group: Group): readonly string[] => {
  if (group.some(({ isExact }) => !isExact)) return ['USE']
  const methods = new Set(group.map(({ method }) => method))
  if (group.findLast(isHandler)?.method !== 'ALL') methods.delete('ALL')
  return [...methods]
}

/**
 * Returns whether a function may respond: it is no guard, no middleware of `jwtAuth` and no error
 * handler.
 */
export const isHandler = ({ handle }: Step): boolean =>
  readGuardOptions(handle) === undefined && !isAuthMiddleware(handle) && handle.length < 4

const isShown = ({ method, path, handler: { handle } }: Endpoint): boolean => {
  // An application of Express that is mounted, or one of Connect.
  if (method !== 'USE' || handle.name === 'mounted_app' || 'stack' in handle) return true
  return path.length > 0 && !/^(json|raw|text|urlencoded)Parser$/.test(handle.name)
}
