import type { IncomingMessage } from 'node:http'
import { matchRoute, type RouteMatch, toPath } from '@jwt-auth/core/wire'
import { checkOwnRoute, type Mounted, warnOfMissingNamespace, warnOfWildcard } from './wrong-mounts.js'

/**
 * Finds the route of a request, below the path where the middleware is mounted.
 *
 * A mount path that contains the namespace, or a part of it, hides the routes: `app.use('/jwt-auth/v1', auth)`, and wildcards such
 * as `forRoutes('*')` of Nest. The routes are then found in the path of the whole request. Where that is impossible, a warning
 * names the right mount.
 */
export const matchRequest = (namespace: string, req: IncomingMessage, middleware: unknown): RouteMatch => {
  const { method = '', url = '' } = req
  const match = matchRoute(namespace, method, url)
  if (match.kind !== 'elsewhere') return match
  const mounted = readMounted(req)
  const found = mounted && findBelowMount(namespace, method, mounted)
  if (found === undefined && method !== 'OPTIONS') checkOwnRoute(namespace, req, middleware)
  return found ?? match
}

// A path that the application has rewritten does not end with the new path, and must not be restored.
const readMounted = (req: IncomingMessage): Mounted | undefined => {
  if (!('originalUrl' in req) || typeof req.originalUrl !== 'string') return undefined
  const whole = toPath(req.originalUrl)
  const below = toPath(req.url ?? '')
  if (whole === below) return undefined
  if (whole.endsWith(below)) return { whole, mount: whole.slice(0, whole.length - below.length) }
  return below === '/' ? { whole, mount: whole } : undefined
}

const findBelowMount = (namespace: string, method: string, { whole, mount }: Mounted): RouteMatch | undefined => {
  const start = whole.indexOf(`${namespace}/`)
  if (start < 0 || start >= mount.length) {
    warnOfMissingNamespace(namespace, method, { whole, mount })
    return undefined
  }
  const found = matchRoute(namespace, method, whole.slice(start))
  if (found.kind !== 'route' && found.kind !== 'method-not-allowed') return undefined
  // Behind a wildcard, any text may stand before the namespace. A rule for the path `/api/jwt-auth/…` must not be bypassed so.
  if (start === 0 || namespace.startsWith(mount.slice(start))) return found
  if (found.kind === 'route') warnOfWildcard(method, whole, whole.slice(0, start))
  return undefined
}
