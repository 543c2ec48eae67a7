import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthError, type TokenService } from '@jwt-auth/core'
import { checkOptionNames, readInteger } from '@jwt-auth/core/adapter'
import { toJwksResponse, type WireResponse } from '@jwt-auth/core/wire'
import type { Fail } from './failures.js'
import type { Middleware } from './guard.js'
import { refuseRequest } from './options.js'

/** The options of the handler that serves the public keys. */
export interface JwksOptions {
  /**
   * How long others may cache the keys, in seconds, 0 to 86,400. Publish a new key for at least
   * this time before it signs.
   * @default 300
   */
  readonly maxAgeSeconds?: number | undefined
}

const allowedMethods = ['GET', 'HEAD']

/** Creates the function that creates handlers of the public keys. */
export const createJwksFactory =
  (service: Pick<TokenService, 'jwks'>, send: (res: ServerResponse, response: WireResponse) => void, fail: Fail) =>
  (options: JwksOptions = {}): Middleware => {
    const maxAgeSeconds = readMaxAge(options)
    // Throws for a service with secrets now, not at the first request.
    service.jwks()

    return (req: IncomingMessage, res, next) => {
      // The CORS middleware of the application responds.
      if (req.method === 'OPTIONS') next()
      else if (allowedMethods.includes(req.method ?? '')) send(res, toJwksResponse(service.jwks(), maxAgeSeconds))
      else fail(new AuthError('jwt_auth_method_not_allowed', { allowedMethods }), res, next)
    }
  }

const jwksOptions: Record<keyof JwksOptions, true> = { maxAgeSeconds: true }

const readMaxAge = (options: JwksOptions): number => {
  refuseRequest(options, 'auth.jwks', 'auth.jwks()')
  checkOptionNames(options, jwksOptions, 'jwks')
  return readInteger('jwks.maxAgeSeconds', options.maxAgeSeconds, {
    min: 0,
    max: 86_400,
    default: 300,
    unit: 'seconds',
  })
}
