import type { IncomingMessage, ServerResponse } from 'node:http'
import { AuthError, checkOptionNames, optionError, readInteger, type TokenService } from '@jwt-auth/core'
import { toJwksResponse, type WireResponse } from '@jwt-auth/core/wire'
import type { Middleware } from './guard.js'
import { refuseRequest } from './options.js'

/** How the public keys are served. */
export interface JwksOptions {
  /**
   * How long others may keep the keys, in seconds, 0 to 86,400. A new key is published at least so long before it signs, and
   * a removed one is trusted by others for so long. @default 300
   */
  readonly maxAgeSeconds?: number | undefined
}

/** Makes the handler of the public keys. */
export type CreateJwksHandler = (options?: JwksOptions) => Middleware

const allowedMethods = ['GET', 'HEAD']

/** Binds the handler to a service; `send` and `fail` answer. */
export const createJwksFactory =
  (
    service: Pick<TokenService, 'jwks'>,
    send: (res: ServerResponse, response: WireResponse) => void,
    fail: (res: ServerResponse, thrown: unknown) => void,
  ): CreateJwksHandler =>
  (options = {}) => {
    const maxAgeSeconds = readMaxAge(options)
    // A service with secrets hears of it now, not from the first client.
    service.jwks()

    return (req: IncomingMessage, res, next) => {
      // The host's CORS middleware answers it.
      if (req.method === 'OPTIONS') next()
      else if (allowedMethods.includes(req.method ?? '')) send(res, toJwksResponse(service.jwks(), maxAgeSeconds))
      else fail(res, new AuthError('jwt_auth_method_not_allowed', { allowedMethods }))
    }
  }

const jwksOptions: Record<keyof JwksOptions, true> = { maxAgeSeconds: true }

const readMaxAge = (options: JwksOptions): number => {
  if (typeof options !== 'object' || options === null) throw optionError('jwks', 'an object { maxAgeSeconds }', options)
  refuseRequest(options, 'auth.jwks', 'auth.jwks()')
  checkOptionNames(options, jwksOptions, 'jwks')
  return readInteger('maxAgeSeconds', options.maxAgeSeconds, { min: 0, max: 86_400, default: 300, unit: 'seconds' })
}
