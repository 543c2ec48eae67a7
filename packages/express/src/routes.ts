import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthError, type TokenService } from '@jwt-auth/core'
import { handleRoute, type RouteName, type WireResponse } from '@jwt-auth/core/wire'
import type { Fail, Next } from './failures.js'
import { matchRequest } from './match-request.js'
import { requireNodeResponse, send, toWireRequest } from './node-http.js'
import type { HttpOptions } from './options.js'
import { warnOfProxy } from './warn-of-proxy.js'

/** What the routes of a service depend on. */
interface RouteContext {
  /** Responds to a request that fails. */
  readonly fail: Fail
  /** Called with each request that reaches the middleware. */
  readonly onRequest: () => void
}

/** Creates the middleware that responds on the routes. */
export const createRouteHandler = (service: TokenService, http: HttpOptions, { fail, onRequest }: RouteContext) => {
  // Reads the client's address synchronously, when the request arrives.
  const respond = async (route: RouteName, req: IncomingMessage, res: ServerResponse): Promise<WireResponse> =>
    handleRoute(route, { service, request: toWireRequest(req, res, http), options: http })

  const handle = (req: IncomingMessage, res: ServerResponse, next?: Next): void => {
    requireNodeResponse(res)
    onRequest()
    const match = matchRequest(http.namespace, req, handle)
    switch (match.kind) {
      case 'route':
        if (http.isAddressDefault) warnOfProxy(req)
        respond(match.name, req, res).then(
          (response) => send(res, response),
          (thrown: unknown) => fail(thrown, res, next),
        )
        return
      case 'method-not-allowed':
        fail(new AuthError('jwt_auth_method_not_allowed', { allowedMethods: match.allowedMethods }), res, next)
        return
      case 'no-route':
        fail(new AuthError('jwt_auth_no_route'), res, next)
        return
      case 'elsewhere':
        if (next === undefined) fail(new AuthError('jwt_auth_no_route'), res)
        else next()
    }
  }
  return handle
}
