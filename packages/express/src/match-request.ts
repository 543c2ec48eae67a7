import type { IncomingMessage } from 'node:http'
import { matchRoute, type RouteMatch, toPath } from '@jwt-auth/core/wire'
import { warnOnce } from './warn-once.js'

/**
 * Finds the route of a request, below the path where the middleware is mounted.
 *
 * A mount path that contains the namespace, or a part of it, hides the routes: `app.use('/jwt-auth/v1', auth)`, and wildcards such
 * as `forRoutes('*')` of Nest. The routes are then found in the path of the whole request. Where that is impossible, a warning
 * names the right mount.
 */
export const matchRequest = (namespace: string, req: IncomingMessage): RouteMatch => {
  const { method = '', url = '' } = req
  const match = matchRoute(namespace, method, url)
  if (match.kind !== 'elsewhere') return match
  const mounted = readMounted(req)
  return (mounted && findBelowMount(namespace, method, mounted)) ?? match
}

/** The path of a whole request, and the part of it that the router removed. */
interface Mounted {
  readonly whole: string
  readonly mount: string
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
  if (found.kind === 'route') {
    const prefix = whole.slice(0, start)
    warnOfMount(whole, `is below a wildcard. Mount it with app.use(auth), or with app.use('${prefix}', auth).`, method)
  }
  return undefined
}

// Other routes, such as `GET /me`, are more likely to be the application's own.
const warnOfMissingNamespace = (namespace: string, method: string, { whole, mount }: Mounted): void => {
  const found = matchRoute('', method, whole.slice(mount.length))
  if (found.kind !== 'route' || (found.name !== 'token' && found.name !== 'refresh')) return
  const route = `${mount}${namespace}${whole.slice(mount.length)}`
  warnOfMount(
    whole,
    `is mounted at ${mount}, and has the route ${route}. Change the path of the client, or mount with app.use(auth) and set \`namespace: '${mount}'\`. Ignore this warning if your application serves ${whole}.`,
    method,
  )
}

// The path may contain any text of a client.
const isPrintable = (path: string): boolean => /^[!-~]{1,200}$/.test(path)

const warnOfMount = (whole: string, problem: string, method: string): void => {
  if (isPrintable(whole)) warnOnce('JWT_AUTH_MOUNT', `${method} ${whole} reached jwtAuth(…), which ${problem}`)
}
