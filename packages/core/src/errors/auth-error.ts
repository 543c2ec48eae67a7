/** The code of a failed operation, as clients receive it in the error object. Each code has one status: see docs/http-api.md. */
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

// The sentences that clients receive. Clients of this API family match on them: keep them verbatim (docs/http-api.md). None of
// them contains a part of the request.
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

/** Returns whether a value is one of the codes. */
const isAuthErrorCode = (value: unknown): value is AuthErrorCode =>
  typeof value === 'string' && Object.hasOwn(messages, value)

/** What an {@link AuthError} has besides its code. */
export interface AuthErrorDetails {
  /** The sentence for the client. @default the sentence of the code */
  readonly message?: string
  /** The names of the invalid parameters of the request, never their values. */
  readonly params?: readonly string[]
  /** When the client may try again, in seconds from now. Rounded up. Values that are not positive and finite are ignored. */
  readonly retryAfterSeconds?: number
  /** The methods that the route supports (RFC 9110, section 10.2.1). */
  readonly allowedMethods?: readonly string[]
  /** The reason, for the application's log. Never sent to a client. */
  readonly detail?: string
  /** The underlying error, for the application's log. Never sent to a client. */
  readonly cause?: unknown
}

// Registered by name, so that the ESM and the CommonJS build recognise each other's errors.
const brand = Symbol.for('@jwt-auth/core.AuthError')

/**
 * A failed operation: `code` for programs, `message` for the client, `detail` and `cause` for the application's log. Your user
 * directory may throw one to choose the response of a login.
 *
 * @example
 * ```ts
 * throw new AuthError('jwt_auth_unavailable', { retryAfterSeconds: 5, cause: error })
 * ```
 */
export class AuthError extends Error {
  /** The name of the class, for logs. To recognise an error, call {@link isAuthError}. */
  override readonly name = 'AuthError'
  /** The kind of failure. Determines the status of the response. */
  readonly code: AuthErrorCode
  /** The names of the invalid parameters of the request. */
  readonly params: readonly string[] | undefined
  /** When the client may try again, in whole seconds from now. */
  readonly retryAfterSeconds: number | undefined
  /** The methods that the route supports. */
  readonly allowedMethods: readonly string[] | undefined
  /** The reason, for the application's log. Never sent to a client. */
  readonly detail: string | undefined

  constructor(code: AuthErrorCode, details: AuthErrorDetails = {}) {
    if (!isAuthErrorCode(code)) throw new TypeError(`jwt-auth: unknown error code ${JSON.stringify(code)}.`)
    super(details.message ?? messages[code], details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.params = details.params
    this.retryAfterSeconds = toWholeSeconds(details.retryAfterSeconds)
    this.allowedMethods = details.allowedMethods
    this.detail = details.detail
    Object.defineProperty(this, brand, { value: true })
  }
}

// A header has whole seconds (RFC 9110, section 10.2.3).
const toWholeSeconds = (seconds: number | undefined): number | undefined =>
  typeof seconds === 'number' && seconds > 0 && Number.isFinite(seconds) ? Math.ceil(seconds) : undefined

/**
 * Returns whether a value is an {@link AuthError} of this package, also of its other build (ESM or CommonJS).
 *
 * @example
 * ```ts
 * if (isAuthError(error) && error.code === 'jwt_auth_rate_limited') wait(error.retryAfterSeconds)
 * ```
 */
export const isAuthError = (value: unknown): value is AuthError =>
  value instanceof Error && Object.hasOwn(value, brand) && 'code' in value && isAuthErrorCode(value.code)

/**
 * Creates the error for a mistake in the application that shows only at run time. The client receives 500, and `onError` receives
 * the message.
 */
export const setupError = (message: string): AuthError =>
  new AuthError('jwt_auth_internal_error', { cause: new TypeError(`jwt-auth: ${message}`) })

/** Returns an {@link AuthError} as it is. Wraps any other thrown value in `jwt_auth_internal_error`. */
export const toAuthError = (thrown: unknown): AuthError =>
  isAuthError(thrown) ? thrown : new AuthError('jwt_auth_internal_error', { cause: thrown })
