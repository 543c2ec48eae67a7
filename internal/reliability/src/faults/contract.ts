import { isDeepStrictEqual } from 'node:util'
import { guardedPath } from '../cluster/instance/instance-listener.js'
import type { Endpoint } from '../cluster/recorder.js'
import type { JsonResponse } from '../http-client.js'

/** An error response in docs/http-api.md. */
interface Failure {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

const unavailable: Failure = {
  status: 503,
  code: 'jwt_auth_unavailable',
  message: 'Service temporarily unavailable.',
  headers: { 'retry-after': '1' },
}

const revokeFailed: Failure = { status: 500, code: 'jwt_auth_revoke_failed', message: 'Failed to revoke token' }

const alreadyRevoked: Failure = {
  status: 403,
  code: 'jwt_auth_token_already_revoked',
  message: 'Token already revoked',
}

const invalidRefreshToken: Failure = {
  status: 403,
  code: 'jwt_auth_invalid_refresh_token',
  message: 'Invalid refresh token.',
}

const invalidToken: Failure = {
  status: 401,
  code: 'jwt_auth_invalid_token',
  message: 'Invalid token.',
  headers: { 'www-authenticate': 'Bearer realm="jwt-auth", error="invalid_token"' },
}

/** The error responses of each route to a client that makes no mistake. */
const failures: Readonly<Record<string, readonly Failure[]>> = {
  '/jwt-auth/v1/token': [unavailable],
  '/jwt-auth/v1/token/refresh': [unavailable, invalidRefreshToken],
  '/jwt-auth/v1/token/validate': [unavailable, invalidToken],
  '/jwt-auth/v1/token/revoke': [revokeFailed, alreadyRevoked],
  '/jwt-auth/v1/me': [unavailable, invalidToken],
  [guardedPath]: [unavailable, invalidToken],
}

const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-content-type-options': 'nosniff',
}

const contractHeaders = [...Object.keys(commonHeaders), 'etag', 'www-authenticate', 'allow', 'retry-after']

/**
 * Returns an endpoint that compares every error response with the contract: status, headers and body. Reports error responses that
 * differ from it, and requests that received no response although the client did not abort them.
 */
export const checkEndpoint = ({ url, client }: Endpoint, reportViolation: (violation: string) => void): Endpoint => ({
  url,
  client: {
    close: client.close,
    send: async (message) => {
      const response = await client.send(message).catch((failure: unknown) => {
        if (message.signal?.aborted !== true)
          reportViolation(`${message.path} received no response: ${String(failure)}`)
        throw failure
      })
      const isKnown = failures[message.path]?.some((failure) => isFailure(response, failure))
      if (response.status !== 200 && isKnown !== true)
        reportViolation(`${message.path} responded with ${describe(response)}`)
      return response
    },
  },
})

const isFailure = ({ status, headers, body }: JsonResponse, failure: Failure): boolean => {
  const received = Object.fromEntries(
    contractHeaders.flatMap((name) => (name in headers ? [[name, toExpected(name, headers[name])]] : [])),
  )
  const { code, message } = failure
  return (
    status === failure.status &&
    isDeepStrictEqual(received, { ...commonHeaders, ...failure.headers }) &&
    isDeepStrictEqual(body, { code, message, data: { status } })
  )
}

// `Retry-After` is one to five seconds at random.
const toExpected = (name: string, value: unknown): unknown =>
  name === 'retry-after' && /^[1-5]$/.test(String(value)) ? '1' : value

// Omits the body of a success, which may hold a token.
const describe = ({ status, headers, body }: JsonResponse): string =>
  `${status} with ${JSON.stringify(headers)}${status === 200 ? '' : ` and ${JSON.stringify(body)}`}`
