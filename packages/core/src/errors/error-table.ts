/**
 * The `WWW-Authenticate` challenge of an error (RFC 6750, section 3; RFC 9470, section 3; RFC 9449,
 * section 7.1).
 */
type Challenge =
  | 'none'
  | 'plain'
  | 'invalid_token'
  | 'insufficient_user_authentication'
  | 'insufficient_scope'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'

/** The algorithms of DPoP proofs, which challenges name. `EdDSA` is Ed25519. */
export const proofAlgorithms = ['ES256', 'EdDSA'] as const

const row = (status: number, message: string, challenge: Challenge = 'none') => ({ status, message, challenge })

/**
 * The status, the sentence and the challenge of each code. Existing clients of this API compare the
 * sentences: keep them verbatim. None of them contains a part of the request. The comments become
 * docs/reference/errors.md: when the code is sent, and what a client should do.
 */
export const errorTable = {
  /**
   * The body is not a JSON object, a parameter is missing or invalid, or the header
   * `X-JWT-Auth-Transport` is used wrongly. Other messages: `Missing parameter(s): …` and `Invalid
   * parameter(s): …`, whose names are in `data.params`, `Send the refresh token in the cookie only,
   * not in the body.`, `Refresh tokens in cookies are not enabled.`, `Unknown transport.`
   *
   * Client: Correct the request. The same request fails again.
   */
  jwt_auth_invalid_request: row(400, 'Invalid JSON body.'),
  /**
   * The request has no header `Authorization`, or one with another scheme or none.
   *
   * Client: Send the access token: `Authorization: Bearer <token>`. Without a token, log in.
   */
  jwt_auth_no_auth_header: row(401, 'Authorization header not found.', 'plain'),
  /**
   * The header `Authorization` has no token, several tokens or a malformed one, or the request has
   * two such headers.
   *
   * Client: Send exactly one access token, as it was received.
   */
  jwt_auth_bad_auth_header: row(401, 'Authorization header malformed.', 'invalid_token'),
  /**
   * The token is malformed, expired, revoked or unknown, has an invalid signature, or is from
   * another issuer. At `/me`, the user may also be deleted, disabled or have another credential
   * version (docs/guide/sessions.md#credential-versions). Other messages: `Expired token`,
   * `Signature verification failed`.
   *
   * Client: Refresh once, and repeat the request with the new access token. If the refresh fails
   * with 403, log in.
   */
  jwt_auth_invalid_token: row(401, 'Invalid token.', 'invalid_token'),
  /**
   * The login of the session is older than the route allows (`guard({ maxAuthAgeSeconds })`).
   * `data.max_age` is the maximum age of the login, in seconds.
   *
   * Client: Ask the user to log in again. A refresh does not help.
   */
  jwt_auth_insufficient_user_authentication: row(
    401,
    'A more recent login is required.',
    'insufficient_user_authentication',
  ),
  /**
   * The DPoP proof (docs/http-api.md#tokens-that-are-bound-to-a-key) is missing, invalid, or was
   * used before; at a refresh, also of another key than that of the session (with an access token:
   * `jwt_auth_invalid_token`). The session and its refresh token stay valid.
   *
   * Client: Send a new proof, signed with the key of the session. If the key is lost, log in.
   */
  jwt_auth_invalid_dpop_proof: row(401, 'Invalid DPoP proof.', 'invalid_dpop_proof'),
  /**
   * The DPoP proof has no nonce, or an old one.
   *
   * Client: Repeat the request with a new proof that has the nonce of the response's header
   * `DPoP-Nonce`.
   */
  jwt_auth_use_dpop_nonce: row(401, 'A DPoP proof with the nonce of this response is required.', 'use_dpop_nonce'),
  /**
   * The user is unknown or disabled, or the password is wrong: the same response for all.
   *
   * Client: Ask the user for the name and the password again.
   */
  jwt_auth_failed: row(403, 'Invalid credentials.'),
  /**
   * Never sent: only the code of reports. A mistake in the application makes logins or tokens fail.
   *
   * Client: Nothing. The report names the fix.
   */
  jwt_auth_misconfigured: row(500, 'Internal server error.'),
  /**
   * The refresh token is malformed, unknown, expired, revoked or replayed, its user is deleted or
   * disabled, or a request with `X-JWT-Auth-Transport: cookie` has no cookie: the same response for
   * all.
   *
   * Client: Delete both tokens and log in.
   */
  jwt_auth_invalid_refresh_token: row(403, 'Invalid refresh token.'),
  /**
   * Revoke: the session of the token has ended.
   *
   * Client: Delete both tokens. The user is logged out.
   */
  jwt_auth_token_already_revoked: row(403, 'Token already revoked'),
  /**
   * The rule of your application (`guard({ allow })`) refused the request.
   *
   * Client: Tell the user. The same request fails again until the application changes the rights of
   * the user.
   */
  jwt_auth_forbidden: row(403, 'You are not allowed to do that.', 'insufficient_scope'),
  /**
   * A request with `X-JWT-Auth-Transport: cookie` comes from an origin that is not allowed
   * (docs/design/cookies.md). Requests of curl and other programs without a page get this code too.
   * Other message, for a page with `http:` that is not of `localhost`: `The cookie of the refresh
   * token needs a page with HTTPS.`
   *
   * Client: Send the refresh token in the body, or requests from an allowed origin.
   */
  jwt_auth_untrusted_origin: row(403, 'This origin may not use the cookie of the refresh token.'),
  /**
   * The path below the namespace is unknown.
   *
   * Client: Correct the URL: compare it with the routes (docs/http-api.md#routes).
   */
  jwt_auth_no_route: row(404, 'No route was found matching the URL.'),
  /**
   * Revoke: the session of the token does not exist. `DELETE /sessions/:id`: the user has no such
   * session, and the message is `Session not found`.
   *
   * Client: Treat the session as ended.
   */
  jwt_auth_token_not_found: row(404, 'Token not found'),
  /**
   * The path is known, but has another method.
   *
   * Client: Use a method of the header `Allow`.
   */
  jwt_auth_method_not_allowed: row(405, 'Method not allowed.'),
  /**
   * The body has more than 16 KiB.
   *
   * Client: Send only the parameters of the route.
   */
  jwt_auth_payload_too_large: row(413, 'Request body too large.'),
  /**
   * The body has another content type or none, or a content coding.
   *
   * Client: Send `Content-Type: application/json`, without `Content-Encoding`.
   */
  jwt_auth_unsupported_media_type: row(415, 'Unsupported media type. Send application/json.'),
  /**
   * There were too many failed logins or refused tokens from one network or for one account, or
   * more than ten concurrent logins of one user on one network
   * (docs/guide/users-and-passwords.md#brute-force-and-floods). The response to a login is the same
   * for right and wrong passwords.
   *
   * Client: Wait for the seconds of `Retry-After`, which are also in `data.retry_after`. Then try
   * again.
   */
  jwt_auth_rate_limited: row(429, 'Rate limit exceeded'),
  /**
   * Revoke: the storage did not confirm the write. The token stays valid, unless the write was
   * committed without a confirmation.
   *
   * Client: Keep the token and repeat the request.
   */
  jwt_auth_revoke_failed: row(500, 'Failed to revoke token'),
  /**
   * An unforeseen error, often a mistake in the application. `onError` receives the cause.
   *
   * Client: Report the failure. The application must be corrected.
   */
  jwt_auth_internal_error: row(500, 'Internal server error.'),
  /**
   * The storage or the user directory is unavailable, or too many logins wait to be hashed.
   *
   * Client: Keep the tokens, and repeat the request after the seconds of `Retry-After`.
   */
  jwt_auth_unavailable: row(503, 'Service temporarily unavailable.'),
} as const

/**
 * The code of a failed operation, as clients receive it in the error object. Each code has one
 * status: see docs/reference/errors.md.
 */
export type AuthErrorCode = keyof typeof errorTable

/**
 * Returns whether an error rejects the caller of a request: whether its status is 401 or 403. The
 * first request of each client lacks a nonce, and rejects nobody.
 */
export const isRejection = (code: AuthErrorCode): boolean => {
  if (code === 'jwt_auth_use_dpop_nonce') return false
  const { status } = errorTable[code]
  return status === 401 || status === 403
}
