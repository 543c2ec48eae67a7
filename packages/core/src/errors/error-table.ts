/**
 * The `WWW-Authenticate` challenge of an error (RFC 6750, section 3; RFC 9470, section 3; RFC 9449,
 * section 7.1).
 */
export type Challenge =
  | 'none'
  | 'plain'
  | 'invalid_token'
  | 'insufficient_user_authentication'
  | 'insufficient_scope'
  | 'invalid_dpop_proof'
  | 'use_dpop_nonce'

/** The algorithms of DPoP proofs, which challenges name. `EdDSA` is Ed25519. */
export const proofAlgorithms = ['ES256', 'EdDSA'] as const

/** The response to a code. */
export interface ErrorRow {
  /** The HTTP status. */
  readonly status: number
  /** The sentence for the client. */
  readonly message: string
  /** The `WWW-Authenticate` challenge. */
  readonly challenge: Challenge
}

const row = (status: number, message: string, challenge: Challenge = 'none'): ErrorRow => ({
  status,
  message,
  challenge,
})

/**
 * The status, the sentence and the challenge of each code. Existing clients of this API compare the
 * sentences: keep them verbatim (docs/http-api.md). None of them contains a part of the request.
 */
export const errorTable = {
  jwt_auth_invalid_request: row(400, 'Invalid JSON body.'),
  jwt_auth_no_auth_header: row(401, 'Authorization header not found.', 'plain'),
  jwt_auth_bad_auth_header: row(401, 'Authorization header malformed.', 'invalid_token'),
  jwt_auth_invalid_token: row(401, 'Invalid token.', 'invalid_token'),
  jwt_auth_insufficient_user_authentication: row(
    401,
    'A more recent login is required.',
    'insufficient_user_authentication',
  ),
  jwt_auth_invalid_dpop_proof: row(401, 'Invalid DPoP proof.', 'invalid_dpop_proof'),
  jwt_auth_use_dpop_nonce: row(401, 'A DPoP proof with the nonce of this response is required.', 'use_dpop_nonce'),
  jwt_auth_failed: row(403, 'Invalid credentials.'),
  jwt_auth_invalid_refresh_token: row(403, 'Invalid refresh token.'),
  jwt_auth_token_already_revoked: row(403, 'Token already revoked'),
  jwt_auth_forbidden: row(403, 'You are not allowed to do that.', 'insufficient_scope'),
  jwt_auth_untrusted_origin: row(403, 'This origin may not use the cookie of the refresh token.'),
  jwt_auth_no_route: row(404, 'No route was found matching the URL.'),
  jwt_auth_token_not_found: row(404, 'Token not found'),
  jwt_auth_method_not_allowed: row(405, 'Method not allowed.'),
  jwt_auth_payload_too_large: row(413, 'Request body too large.'),
  jwt_auth_unsupported_media_type: row(415, 'Unsupported media type. Send application/json.'),
  jwt_auth_rate_limited: row(429, 'Rate limit exceeded'),
  jwt_auth_revoke_failed: row(500, 'Failed to revoke token'),
  jwt_auth_internal_error: row(500, 'Internal server error.'),
  jwt_auth_unavailable: row(503, 'Service temporarily unavailable.'),
} as const

/**
 * The code of a failed operation, as clients receive it in the error object. Each code has one
 * status: see docs/http-api.md.
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
