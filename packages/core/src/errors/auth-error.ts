/**
 * Every way an operation can fail, as the wire names it (`code` of the error object). The status and the
 * headers of each stand in `wire/error-response.ts`.
 */
export type AuthErrorCode =
  | 'jwt_auth_invalid_request'
  | 'jwt_auth_no_auth_header'
  | 'jwt_auth_bad_auth_header'
  | 'jwt_auth_invalid_token'
  | 'jwt_auth_failed'
  | 'jwt_auth_invalid_refresh_token'
  | 'jwt_auth_token_already_revoked'
  | 'jwt_auth_forbidden'
  | 'jwt_auth_no_route'
  | 'jwt_auth_token_not_found'
  | 'jwt_auth_method_not_allowed'
  | 'jwt_auth_payload_too_large'
  | 'jwt_auth_unsupported_media_type'
  | 'jwt_auth_rate_limited'
  | 'jwt_auth_revoke_failed'
  | 'jwt_auth_internal_error'
  | 'jwt_auth_unavailable'

// The sentences a client reads. Those that clients of this API family match on are kept to the letter
// (docs/http-api.md); none of them ever holds anything from the request.
const messages: Record<AuthErrorCode, string> = {
  jwt_auth_invalid_request: 'Invalid JSON body.',
  jwt_auth_no_auth_header: 'Authorization header not found.',
  jwt_auth_bad_auth_header: 'Authorization header malformed.',
  jwt_auth_invalid_token: 'Invalid token.',
  jwt_auth_failed: 'Invalid credentials.',
  jwt_auth_invalid_refresh_token: 'Invalid refresh token.',
  jwt_auth_token_already_revoked: 'Token already revoked',
  jwt_auth_forbidden: 'You are not allowed to do that.',
  jwt_auth_no_route: 'No route was found matching the URL.',
  jwt_auth_token_not_found: 'Token not found',
  jwt_auth_method_not_allowed: 'Method not allowed.',
  jwt_auth_payload_too_large: 'Request body too large.',
  jwt_auth_unsupported_media_type: 'Unsupported media type. Send application/json.',
  jwt_auth_rate_limited: 'Rate limit exceeded',
  jwt_auth_revoke_failed: 'Failed to revoke token',
  jwt_auth_internal_error: 'Internal server error.',
  jwt_auth_unavailable: 'Service temporarily unavailable.',
}

/** Whether a text is one of the codes. */
export const isAuthErrorCode = (value: unknown): value is AuthErrorCode =>
  typeof value === 'string' && Object.hasOwn(messages, value)

/** What an {@link AuthError} may carry beside its code. */
export interface AuthErrorDetails {
  /** The sentence for the client, where the code has more than one. */
  readonly message?: string
  /** Names of the request's parameters at fault, never their values. */
  readonly params?: readonly string[]
  /** When trying again makes sense, in whole seconds from now. */
  readonly retryAfterSeconds?: number
  /** The methods a route does answer (RFC 9110, section 10.2.1). */
  readonly allowedMethods?: readonly string[]
  /** Why, for the host's log; never sent to a client. */
  readonly detail?: string
  /** The error underneath, for the host's log; never sent to a client. */
  readonly cause?: unknown
}

// A header says whole seconds (RFC 9110, section 10.2.3); what is no time at all is left to the default.
const toWholeSeconds = (seconds: number | undefined): number | undefined =>
  typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds) : undefined

// Looked up by name, so that the ESM and the CommonJS build know each other's errors.
const brand = Symbol.for('@jwt-auth/core.AuthError')

/**
 * A failed operation: `code` for programs, `message` for the client, `detail` and `cause` for the host's log.
 * A host's own {@link UserDirectory} may throw one to answer, for example, `jwt_auth_rate_limited`.
 */
export class AuthError extends Error {
  override readonly name = 'AuthError'
  readonly code: AuthErrorCode
  readonly params: readonly string[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly allowedMethods: readonly string[] | undefined
  readonly detail: string | undefined

  constructor(code: AuthErrorCode, details: AuthErrorDetails = {}) {
    if (!isAuthErrorCode(code)) throw new TypeError(`jwt-auth: there is no error code ${JSON.stringify(code)}.`)
    super(details.message ?? messages[code], details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.params = details.params
    this.retryAfterSeconds = toWholeSeconds(details.retryAfterSeconds)
    this.allowedMethods = details.allowedMethods
    this.detail = details.detail
    Object.defineProperty(this, brand, { value: true })
  }
}

/** Whether a value is an {@link AuthError}, whichever build of the package made it. */
export const isAuthError = (value: unknown): value is AuthError =>
  value instanceof Error && Object.hasOwn(value, brand) && 'code' in value && isAuthErrorCode(value.code)

/** A mistake in how the service was put together that shows only at work: 500 for the client, and for the host how to mend it. */
export const setupError = (message: string): AuthError =>
  new AuthError('jwt_auth_internal_error', { cause: new TypeError(`jwt-auth: ${message}`) })

/** Turns whatever was thrown into an {@link AuthError}: what is none becomes `jwt_auth_internal_error`. */
export const toAuthError = (thrown: unknown): AuthError =>
  isAuthError(thrown) ? thrown : new AuthError('jwt_auth_internal_error', { cause: thrown })
