import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthError } from '@jwt-auth/core'
import { matchRoute, type RouteMatch, requireRoute, type ServiceBinding, toPath } from '@jwt-auth/core/internal'
import { ClientRequest } from './client-request.js'
import type { Fail, Next } from './failures.js'
import { readTarget, requireNodeResponse, send } from './node-http.js'
import type { HttpOptions } from './options.js'
import { warnOfLateCors, warnOfMissingRoute, warnOfProxy, warnOfRouteHandler } from './warnings.js'

/** Creates the middleware that responds on the routes. */
export const createRouteHandler = (binding: ServiceBinding, http: HttpOptions, fail: Fail) => {
  let isFirst = true
  let isFirstForwarded = true
  let isCorsChecked = false
  // Reads the client's address synchronously, when the request arrives.
  const respond = async (match: RouteMatch, req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const { handle } = requireRoute(match, req.method ?? '')
    // The first request may come from a health check, without the header of a proxy.
    const isForwarded = req.headers['x-forwarded-for'] !== undefined || req.headers.forwarded !== undefined
    if (isFirst || (isForwarded && isFirstForwarded)) {
      if (http.isAddressDefault) warnOfProxy(req, isForwarded)
      isFirst = false
      isFirstForwarded &&= !isForwarded
    }
    const site = req.headers['sec-fetch-site']
    if (!isCorsChecked && (site === 'cross-site' || site === 'same-site')) isCorsChecked = warnOfLateCors(req, res)
    send(res, await handle({ ...binding, request: new ClientRequest(req, res, http), options: http, id: match.id }))
  }

  const handle = (req: IncomingMessage, res: ServerResponse, next?: Next): void => {
    requireNodeResponse(res)
    const { method = '', url = '' } = req
    const match = matchRoute(http, method, url) ?? (readTarget(req) === url ? undefined : findHiddenRoute(http, req))
    if (match !== undefined) {
      respond(match, req, res).catch((thrown: unknown) => fail(thrown, res, next))
    } else if (next !== undefined) {
      // Express sets it for the handlers of a route.
      if ('route' in req) warnOfRouteHandler(handle, req)
      next()
    } else fail(new AuthError('jwt_auth_no_route'), res)
  }
  return handle
}

/**
 * Finds the route of a request whose mount path hides it.
 *
 * A mount path that contains the namespace, or a part of it, hides the routes:
 * `app.use('/jwt-auth/v1', auth)`, and wildcards such as `forRoutes('*')` of Nest. A route is then
 * served if the mount path ends with the beginning of the namespace, or if the path of the whole
 * request starts with the namespace. Behind a wildcard, any text may stand before the namespace,
 * and must not bypass a rule for the path `/jwt-auth/…`.
 */
const findHiddenRoute = (http: HttpOptions, req: IncomingMessage): RouteMatch | undefined => {
  const { method = '', url = '' } = req
  const { namespace } = http
  const whole = toPath(readTarget(req))
  const below = toPath(url)
  // If the application has rewritten the path, the original path does not end with the new one, and
  // must not be restored.
  if (whole === below || !(whole.endsWith(below) || below === '/')) return undefined
  const mount = whole.slice(0, whole.length - below.length)
  const start = whole.indexOf(`${namespace}/`)
  const isPart = start >= 0 && start < mount.length && namespace.startsWith(mount.slice(start))
  const found = matchRoute(http, method, isPart ? whole.slice(start) : whole)
  if (found?.route !== undefined) return found
  // Beside a mount at `/api`, the application may have a login of its own at `/api/login`.
  if (method === 'POST' && /^\/(token(\/refresh)?\/?)?$/.test(below)) warnOfMissingRoute(namespace, whole)
  return undefined
}
