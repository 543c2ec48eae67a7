import type { IncomingMessage } from 'node:http'
import { AuthError, type TokenService } from '@jwt-auth/core'
import { toJwksResponse } from '@jwt-auth/core/internal'
import type { Fail } from './failures.js'
import type { Middleware } from './guard.js'
import { send } from './node-http.js'
import { refuseRequest } from './options.js'

const allowedMethods = ['GET', 'HEAD']

/** Creates the function that creates handlers of the public keys. */
export const createJwksFactory =
  (service: Pick<TokenService, 'jwks'>, fail: Fail) =>
  (options?: unknown): Middleware => {
    refuseRequest(options, 'auth.jwks', 'auth.jwks()')
    // Throws for a service with secrets now, not at the first request.
    service.jwks()

    return (req: IncomingMessage, res, next) => {
      // The CORS middleware of the application responds.
      if (req.method === 'OPTIONS') next()
      else if (allowedMethods.includes(req.method ?? '')) send(res, toJwksResponse(service.jwks()))
      else fail(new AuthError('jwt_auth_method_not_allowed', { allowedMethods }), res, next)
    }
  }
