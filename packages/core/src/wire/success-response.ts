import type { AuthenticationResult } from '../operations/issue-tokens.js'
import type { Revocation } from '../operations/revoke.js'
import type { User } from '../ports/user-directory.js'
import { toJsonResponse, type WireResponse } from './response.js'

/** Responds to a login or a refresh as the specification spells it, and once more for OAuth clients (RFC 6749, section 5.1). */
export const toAuthenticationResponse = (result: AuthenticationResult): WireResponse =>
  toJsonResponse(200, {
    token: result.accessToken,
    ...toUserFields(result.user),
    refresh_token: result.refreshToken,
    access_token: result.accessToken,
    token_type: 'Bearer',
    expires_in: result.expiresInSeconds,
  })

/** Answers that a token is valid. */
export const toValidationResponse = (): WireResponse =>
  toJsonResponse(200, { code: 'jwt_auth_valid_token', data: { status: 200 } })

/** Answers that a token was revoked. */
export const toRevocationResponse = ({ revokedAt }: Revocation): WireResponse =>
  toJsonResponse(200, {
    code: 'jwt_auth_token_revoked',
    data: { status: 200, revoked_at: toDateTime(revokedAt) },
  })

/** Answers with the user, under the service's names and under those of the users route that clients know. */
export const toUserResponse = (user: User): WireResponse =>
  toJsonResponse(200, {
    ...toUserFields(user),
    id: user.id,
    email: user.email,
    slug: user.nicename,
    name: user.displayName,
    link: user.link ?? '',
  })

const toUserFields = (user: User): object => ({
  user_id: user.id,
  user_email: user.email,
  user_nicename: user.nicename,
  user_display_name: user.displayName,
})

// YYYY-MM-DD HH:MM:SS, in UTC (docs/decisions/0005).
const toDateTime = (instant: Date): string => instant.toISOString().slice(0, 19).replace('T', ' ')
