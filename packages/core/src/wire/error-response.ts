import type { AuthError, AuthErrorCode } from '../errors/auth-error.js'
import { toJsonResponse, type WireResponse } from './response.js'

/** The `WWW-Authenticate` challenge of an error (RFC 6750, section 3). */
export type Challenge = 'none' | 'plain' | 'invalid_token' | 'insufficient_scope'

/** The response to a code: its status and its challenge. */
export interface ErrorRow {
  /** The HTTP status. */
  readonly status: number
  /** The `WWW-Authenticate` challenge. */
  readonly challenge: Challenge
}

/** The status and the challenge of each code. */
export const errorTable: Readonly<Record<AuthErrorCode, ErrorRow>> = {
  jwt_auth_invalid_request: { status: 400, challenge: 'none' },
  jwt_auth_no_auth_header: { status: 401, challenge: 'plain' },
  jwt_auth_bad_auth_header: { status: 401, challenge: 'invalid_token' },
  jwt_auth_invalid_token: { status: 401, challenge: 'invalid_token' },
  jwt_auth_failed: { status: 403, challenge: 'none' },
  jwt_auth_invalid_refresh_token: { status: 403, challenge: 'none' },
  jwt_auth_token_already_revoked: { status: 403, challenge: 'none' },
  jwt_auth_forbidden: { status: 403, challenge: 'insufficient_scope' },
  jwt_auth_no_route: { status: 404, challenge: 'none' },
  jwt_auth_token_not_found: { status: 404, challenge: 'none' },
  jwt_auth_method_not_allowed: { status: 405, challenge: 'none' },
  jwt_auth_payload_too_large: { status: 413, challenge: 'none' },
  jwt_auth_unsupported_media_type: { status: 415, challenge: 'none' },
  jwt_auth_rate_limited: { status: 429, challenge: 'none' },
  jwt_auth_revoke_failed: { status: 500, challenge: 'none' },
  jwt_auth_internal_error: { status: 500, challenge: 'none' },
  jwt_auth_unavailable: { status: 503, challenge: 'none' },
}

// Nobody knows how long an outage lasts. Clients that failed in the same second must not retry in the same second.
const outageSeconds = { shortest: 1, longest: 5 }

const toDefaultRetryAfter = (code: AuthErrorCode, randomByte: () => number): number | undefined => {
  if (code === 'jwt_auth_rate_limited') return outageSeconds.shortest
  return code === 'jwt_auth_unavailable' ? outageSeconds.shortest + (randomByte() % outageSeconds.longest) : undefined
}

/** Returns whether the client did not cause an error, so that it belongs into the application's log. */
export const isServerFault = (error: AuthError): boolean => errorTable[error.code].status >= 500

/** The options that error responses depend on. */
export interface ErrorResponseOptions {
  /** The realm of `WWW-Authenticate`. */
  readonly realm: string
  /** Returns a random byte, which spreads `Retry-After` after an outage over one to five seconds. */
  readonly randomByte: () => number
}

/** Returns the response for an error. It contains nothing of the request, the cause or the detail. */
export const toErrorResponse = (error: AuthError, { realm, randomByte }: ErrorResponseOptions): WireResponse => {
  const { status, challenge } = errorTable[error.code]
  const retryAfter = error.retryAfterSeconds ?? toDefaultRetryAfter(error.code, randomByte)
  const data = {
    status,
    ...(error.params !== undefined && { params: error.params }),
    ...(status === 429 && { retry_after: retryAfter }),
  }
  const headers = {
    ...(challenge !== 'none' && { 'WWW-Authenticate': toChallenge(challenge, realm) }),
    ...(retryAfter !== undefined && { 'Retry-After': String(retryAfter) }),
    ...(error.allowedMethods !== undefined && { Allow: error.allowedMethods.join(', ') }),
  }
  return toJsonResponse(status, { code: error.code, message: error.message, data }, headers)
}

// No `error` where the client sent no bearer credential (RFC 6750, section 3.1).
const toChallenge = (challenge: Exclude<Challenge, 'none'>, realm: string): string =>
  `Bearer realm="${realm}"${challenge === 'plain' ? '' : `, error="${challenge}"`}`
