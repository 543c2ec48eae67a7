import { type AuthError, type ErrorResponseOptions, toErrorHeaders } from '../errors/auth-error.js'
import { errorTable } from '../errors/error-table.js'
import type { JsonWebKeySet } from '../keys/key-ring.js'
import type { AuthenticationResult } from '../operations/issue-tokens.js'
import type { SessionSummary } from '../operations/sessions.js'
import type { User } from '../ports/user-directory.js'
import { type CookiePolicy, toCookieHeader } from './cookies.js'

/** A response, independent of the framework. */
export interface WireResponse {
  /** The HTTP status. */
  readonly status: number
  /** The headers, without `Content-Length`. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body: string
}

// RFC 6749, section 5.1: a cache must not store a response with tokens.
const commonHeaders = {
  'Content-Type': 'application/json; charset=utf-8',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
  'X-Content-Type-Options': 'nosniff',
}

/** The response without a body. */
export const noContent: WireResponse = { status: 204, headers: { 'Cache-Control': 'no-store' }, body: '' }

const toJsonResponse = (
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): WireResponse => ({ status, headers: { ...commonHeaders, ...headers }, body: JSON.stringify(body) })

/**
 * Returns the response of a login or a refresh, with the members of the specification and those of
 * OAuth clients (RFC 6749, section 5.1). In JavaScript they are `accessToken`, `refreshToken` and
 * `expiresInSeconds`.
 *
 * @param cookies Keeps the refresh token in a cookie, and out of the body. An empty refresh token
 *   is in a cookie already. @default the refresh token is in the body
 */
export const toAuthenticationResponse = (result: AuthenticationResult, cookies?: CookiePolicy): WireResponse =>
  toJsonResponse(
    200,
    {
      ...result.profile,
      token: result.accessToken,
      ...toUserFields(result.user),
      ...(cookies === undefined && { refresh_token: result.refreshToken }),
      access_token: result.accessToken,
      token_type: result.tokenType,
      expires_in: result.expiresInSeconds,
    },
    cookies && result.refreshToken !== ''
      ? toCookieHeader(cookies, result.refreshToken, result.sessionExpiresInSeconds)
      : undefined,
  )

/** Returns the response for a valid token. */
export const toValidationResponse = (): WireResponse =>
  toJsonResponse(200, { code: 'jwt_auth_valid_token', data: { status: 200 } })

/**
 * Returns the response for a revoked token. Deletes the cookie of a client that keeps its refresh
 * token in one.
 */
export const toRevocationResponse = (revokedAt: Date, cookies?: CookiePolicy): WireResponse =>
  toJsonResponse(
    200,
    { code: 'jwt_auth_token_revoked', data: { status: 200, revoked_at: toDateTime(revokedAt) } },
    cookies && toCookieHeader(cookies, '', 0),
  )

/**
 * Returns the response with the user. Each value has the member name of this service, and the one
 * that clients know from the users route.
 */
export const toUserResponse = (user: User, profile?: AuthenticationResult['profile']): WireResponse => {
  const fields = toUserFields(user)
  const { user_nicename: slug, user_display_name: name } = fields
  return toJsonResponse(200, {
    ...profile,
    ...fields,
    id: user.id,
    email: user.email,
    slug,
    name,
    link: user.link ?? '',
  })
}

/** Returns the response with the sessions of a user. */
export const toSessionsResponse = (sessions: readonly SessionSummary[], currentId: string): WireResponse =>
  toJsonResponse(200, {
    sessions: sessions.map((session) => ({
      id: session.id,
      current: session.id === currentId,
      created_at: session.createdAt,
      last_used_at: session.lastUsedAt,
      expires_at: session.expiresAt,
      user_agent: session.userAgent,
      ip_address: session.ipAddress,
      last_user_agent: session.lastUserAgent,
      last_ip_address: session.lastIpAddress,
      label: session.label,
      bound: session.isBound,
    })),
  })

/**
 * Returns the response with the public keys (RFC 7517, section 8.5.2). It is the only response that
 * may be cached, because nothing in it is secret. Services that verify tokens with the keys fetch
 * them again after five minutes.
 */
export const toJwksResponse = (keySet: JsonWebKeySet): WireResponse => ({
  status: 200,
  headers: {
    'Content-Type': 'application/jwk-set+json',
    'Cache-Control': 'public, max-age=300',
    'X-Content-Type-Options': 'nosniff',
  },
  body: JSON.stringify(keySet),
})

const toUserFields = ({ id, email, username, nicename, displayName }: User) => ({
  user_id: id,
  user_email: email,
  // Clients put this name into URLs. Encoded names are as unique as the user names.
  user_nicename: nicename ?? encodeURIComponent((username ?? email).toWellFormed()),
  user_display_name: displayName ?? username ?? email,
})

// YYYY-MM-DD HH:MM:SS, in UTC.
const toDateTime = (instant: Date): string => instant.toISOString().slice(0, 19).replace('T', ' ')

/**
 * Returns the response for an error. It contains nothing of the request, the cause or the detail.
 */
export const toErrorResponse = (error: AuthError, options: ErrorResponseOptions): WireResponse => {
  const { status } = errorTable[error.code]
  const headers = toErrorHeaders(error, options)
  const data = {
    status,
    ...(error.params !== undefined && { params: error.params }),
    ...(status === 429 && { retry_after: Number(headers['Retry-After']) }),
    ...(error.maxAuthAgeSeconds !== undefined && { max_age: error.maxAuthAgeSeconds }),
  }
  const body = { code: error.code, message: error.message, data }
  return toJsonResponse(status, body, headers)
}

/**
 * Gives an error the headers of its response, for the error handler of a framework. Changes nothing
 * in a frozen error.
 */
export const setErrorHeaders = (error: AuthError, options: ErrorResponseOptions): void => {
  Reflect.set(error, 'headers', toErrorHeaders(error, options))
}
