import { getMember, usageError } from '@jwt-auth/core/internal'
import { parsePath, type RoutePath } from './route-path.js'

/** A function of a router or of a route. Express reads `handle` for each request. */
export interface Layer {
  handle: Handler
  /** The method of a function of a route, in lower case. `undefined` is every method. */
  readonly method?: string | undefined
  /** The route, if the layer runs one. */
  readonly route?: { readonly path: unknown; readonly stack: readonly Layer[] } | undefined
  /** The expression of a layer of Express 4, and the names of its groups. */
  readonly regexp?: RegExp & { readonly fast_slash?: boolean }
  readonly keys?: readonly { readonly name: string }[]
  /** The path of a layer of Express 5, from version 2.3.0 of its package `router` on. */
  readonly rawPath?: unknown
  /** Whether a layer of Express 5 is mounted at `/`. */
  readonly slash?: boolean
}

/** Any function with the arguments of middleware. */
export type Handler = (...args: never[]) => unknown

/** A router, or the router of an application. */
export interface Router {
  readonly stack: readonly Layer[]
  readonly caseSensitive?: boolean
}

/**
 * Finds the router of an application. Returns a router as it is.
 *
 * @throws TypeError for anything else
 */
export const findRouter = (app: object): Router => {
  // An application of Express 4 has no router before its first route, and its `router` throws.
  const fallback: unknown = 'lazyrouter' in app ? { stack: [], param: true } : getMember(app, 'router')
  const router = [app, getMember(app, '_router'), fallback].find(isRouter)
  if (router !== undefined) return router
  throw usageError('expectRoutesGuarded', 'expected an application or a router of Express 4 or 5.')
}

/** Returns whether a value is a router of Express. Applications of Connect have no parameters. */
export const isRouter = (value: unknown): value is Router =>
  getMember(value, 'param') !== undefined && Array.isArray(getMember(value, 'stack'))

/** Returns the paths of a layer of a router: of its route, or those where it is mounted. */
export const readPaths = (layer: Layer, router: Router): readonly RoutePath[] => {
  const isMountOfExpress4 = layer.regexp !== undefined && layer.route === undefined
  const paths: readonly unknown[] = [findPaths(layer)].flat(Number.POSITIVE_INFINITY)
  return paths.map((path) => parsePath(path, router.caseSensitive === true, isMountOfExpress4))
}

// In Express 5 it matches only itself. In Express 4 it matches every path, and removes a second
// slash.
const slashInList = '/ (in a list)'

const findPaths = ({ route, rawPath, slash, regexp, keys = [] }: Layer): unknown => {
  if (route !== undefined) return route.path
  if (Array.isArray(rawPath)) return rawPath.map((path) => (path === '/' ? slashInList : path))
  if (regexp === undefined) return slash ? '/' : rawPath
  return readMount(regexp, keys.map(({ name }) => name).values())
}

/**
 * Reads the mount paths of a layer of Express 4 from their regular expression, which is all that
 * the layer has. Returns the expression itself for everything but text and parameters.
 */
const readMount = (regexp: NonNullable<Layer['regexp']>, names: Iterator<string>): readonly (string | RegExp)[] => {
  const paths = regexp.source.split(/\|(?=\^)/).map((source) => {
    const [, path] = /^\^(.*)\\\/\?\(\?=\\\/\|\$\)$/.exec(source) ?? []
    return path?.replaceAll('(?:\\/([^/]+?))', () => `/:${names.next().value}`).replaceAll(/\\([/.])/g, '$1')
  })
  return paths.map((path) => {
    if (path === '' && !regexp.fast_slash) return slashInList
    return path !== undefined && /^(\/[\w.~%@:-]+)*$/.test(path) ? path : regexp
  })
}
