import { AuthError } from '../errors/auth-error.js'
import type { TokenService } from '../token-service.js'
import { readBearerToken } from './bearer-token.js'
import { readBody } from './read-body.js'
import { readCredentials, readPresentedRefreshToken } from './read-request.js'
import type { WireRequest } from './request.js'
import type { WireResponse } from './response.js'
import type { RouteName } from './routes.js'
import {
  toAuthenticationResponse,
  toRevocationResponse,
  toUserResponse,
  toValidationResponse,
} from './success-response.js'

/** What the answers depend on beside the service. */
export interface AnswerOptions {
  /** Whether `application/x-www-form-urlencoded` bodies are accepted too. */
  readonly formBodies: boolean
}

type Answer = (service: TokenService, request: WireRequest, options: AnswerOptions) => Promise<WireResponse>

const answers: Readonly<Record<RouteName, Answer>> = {
  token: async (service, { body, readDevice, watchConnection, address }, options) => {
    const credentials = readCredentials(await readBody(body, options))
    const signal = watchConnection()
    if (signal.aborted) throw new AuthError('jwt_auth_invalid_request', { detail: 'the client disconnected' })
    return toAuthenticationResponse(await service.authenticate(credentials, { device: readDevice(), address, signal }))
  },

  refresh: async (service, { body, readDevice, address }, options) => {
    const refreshToken = readPresentedRefreshToken(await readBody(body, options))
    return toAuthenticationResponse(await service.refresh(refreshToken, { device: readDevice(), address }))
  },

  validate: async (service, { authorization, address }) => {
    await service.validate(readBearerToken(authorization), address)
    return toValidationResponse()
  },

  revoke: async (service, { authorization, address }) =>
    toRevocationResponse(await service.revoke(readBearerToken(authorization), address)),

  me: async (service, { authorization, address }) =>
    toUserResponse(await service.findAuthorizedUser(readBearerToken(authorization), address)),
}

/** Answers one request: read, operate, write. Throws an `AuthError` for every failure the contract knows. */
export const answerRoute = (
  route: RouteName,
  { service, request, options }: { service: TokenService; request: WireRequest; options: AnswerOptions },
): Promise<WireResponse> => answers[route](service, request, options)
