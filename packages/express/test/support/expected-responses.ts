import type { HttpResponse } from '@jwt-auth/test-support/http-client'
import { parseJson } from '@jwt-auth/test-support/read-json'
import { expect } from 'vitest'
import type { Tokens } from './flows.js'

/** A response as docs/http-api.md describes it: its status, the headers the document names, and the whole body. */
export interface ContractResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

const commonHeaders = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-content-type-options': 'nosniff',
}

// `etag` is here because responses must not have one.
const contractHeaders = [...Object.keys(commonHeaders), 'etag', 'www-authenticate', 'allow', 'retry-after']

/** Compares the status, every header that docs/http-api.md names (also those that must be absent), and the whole body. */
export const expectResponse = (response: HttpResponse, expected: ContractResponse): void => {
  expect({ status: response.status, headers: pickHeaders(response), body: readBody(response) }).toStrictEqual(expected)
}

const readBody = ({ text }: HttpResponse): unknown => (text === '' ? undefined : parseJson(text))

const pickHeaders = ({ headers }: HttpResponse): Readonly<Record<string, unknown>> =>
  Object.fromEntries(contractHeaders.filter((name) => name in headers).map((name) => [name, headers[name]]))

/** Returns a response without its date, the only part in which two equal responses may differ. */
export const withoutDate = ({ status, headers: { date, ...headers }, text }: HttpResponse): object => ({
  status,
  headers,
  text,
})

export const success = (body: object): ContractResponse => ({ status: 200, headers: commonHeaders, body })

interface FailureExtras {
  readonly headers?: Readonly<Record<string, string>>
  /** Members of `data` beside `status`. */
  readonly data?: object
}

const failure = (
  status: number,
  code: string,
  { message, headers, data }: FailureExtras & { readonly message: string },
): ContractResponse => ({
  status,
  headers: { ...commonHeaders, ...headers },
  body: { code, message, data: { status, ...data } },
})

const plainChallenge = { 'www-authenticate': 'Bearer realm="jwt-auth"' }
const invalidTokenChallenge = { 'www-authenticate': 'Bearer realm="jwt-auth", error="invalid_token"' }

export const invalidJson = failure(400, 'jwt_auth_invalid_request', { message: 'Invalid JSON body.' })

export const missingParameters = (...params: readonly string[]): ContractResponse => badParameters('Missing', params)

export const invalidParameters = (...params: readonly string[]): ContractResponse => badParameters('Invalid', params)

const badParameters = (fault: string, params: readonly string[]): ContractResponse =>
  failure(400, 'jwt_auth_invalid_request', {
    message: `${fault} parameter(s): ${params.join(', ')}`,
    data: { params },
  })

export const noAuthHeader = failure(401, 'jwt_auth_no_auth_header', {
  message: 'Authorization header not found.',
  headers: plainChallenge,
})

export const badAuthHeader = failure(401, 'jwt_auth_bad_auth_header', {
  message: 'Authorization header malformed.',
  headers: invalidTokenChallenge,
})

export const invalidToken = (message = 'Invalid token.'): ContractResponse =>
  failure(401, 'jwt_auth_invalid_token', { message, headers: invalidTokenChallenge })

export const expiredToken = invalidToken('Expired token')

export const badSignature = invalidToken('Signature verification failed')

export const loginFailed = failure(403, 'jwt_auth_failed', { message: 'Invalid credentials.' })

export const invalidRefreshToken = failure(403, 'jwt_auth_invalid_refresh_token', { message: 'Invalid refresh token.' })

export const alreadyRevoked = failure(403, 'jwt_auth_token_already_revoked', { message: 'Token already revoked' })

const forbiddenWith = (parameters: string): ContractResponse =>
  failure(403, 'jwt_auth_forbidden', {
    message: 'You are not allowed to do that.',
    headers: { 'www-authenticate': `Bearer realm="jwt-auth", error="insufficient_scope"${parameters}` },
  })

/** RFC 6750, section 3.1. */
export const forbidden = forbiddenWith('')

export const insufficientScope = (scope: string): ContractResponse => forbiddenWith(`, scope="${scope}"`)

/** RFC 9470, section 3. */
export const loginTooOld = (maxAge: number): ContractResponse =>
  failure(401, 'jwt_auth_insufficient_user_authentication', {
    message: 'A more recent login is required.',
    headers: {
      'www-authenticate': `Bearer realm="jwt-auth", error="insufficient_user_authentication", max_age="${maxAge}"`,
    },
    data: { max_age: maxAge },
  })

export const noRoute = failure(404, 'jwt_auth_no_route', { message: 'No route was found matching the URL.' })

export const methodNotAllowed = (allow: string): ContractResponse =>
  failure(405, 'jwt_auth_method_not_allowed', { message: 'Method not allowed.', headers: { allow } })

export const payloadTooLarge = failure(413, 'jwt_auth_payload_too_large', { message: 'Request body too large.' })

export const unsupportedMediaType = failure(415, 'jwt_auth_unsupported_media_type', {
  message: 'Unsupported media type. Send application/json.',
})

export const rateLimited = (seconds: number): ContractResponse =>
  failure(429, 'jwt_auth_rate_limited', {
    message: 'Rate limit exceeded',
    headers: { 'retry-after': String(seconds) },
    data: { retry_after: seconds },
  })

export const revokeFailed = failure(500, 'jwt_auth_revoke_failed', { message: 'Failed to revoke token' })

export const internalError = failure(500, 'jwt_auth_internal_error', { message: 'Internal server error.' })

export const unavailable = failure(503, 'jwt_auth_unavailable', {
  message: 'Service temporarily unavailable.',
  headers: { 'retry-after': '1' },
})

/** The authentication result: the same token under both of its names. */
export const authenticated = (tokens: Tokens, userFields: object, expiresIn = 3600): ContractResponse =>
  success({
    ...userFields,
    token: tokens.token,
    refresh_token: tokens.refreshToken,
    access_token: tokens.token,
    token_type: 'Bearer',
    expires_in: expiresIn,
  })

export const validToken = success({ code: 'jwt_auth_valid_token', data: { status: 200 } })

/** @param revokedAt `YYYY-MM-DD HH:MM:SS`, UTC */
export const tokenRevoked = (revokedAt: string): ContractResponse =>
  success({ code: 'jwt_auth_token_revoked', data: { status: 200, revoked_at: revokedAt } })
