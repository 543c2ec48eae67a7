import type { Auth } from '../access-token/claims.js'
import { checkPossession } from '../dpop/possession.js'
import type { PresentedToken } from '../dpop/presented-token.js'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import type { EndOutcome } from '../ports/session-storage.js'
import { toHash } from '../session/refresh-token.js'
import { isActive } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import type { Call } from './call.js'
import { endSession } from './end-session.js'
import { findBySelectorHash, requireRefreshToken } from './refresh.js'
import { invalidRefreshToken } from './replaced-token.js'
import type { ServiceContext } from './service-context.js'

/**
 * Ends the session of an access token. Once it resolves, every instance rejects all tokens of the
 * session. Does not look the user up. Resolves to when the session ended.
 *
 * @throws AuthError `jwt_auth_invalid_token`, and `jwt_auth_invalid_dpop_proof` or
 *   `jwt_auth_use_dpop_nonce` for a bound token, before anything is looked up;
 *   `jwt_auth_token_not_found` or `jwt_auth_token_already_revoked` for a valid token whose session
 *   does not exist or has ended; `jwt_auth_revoke_failed` when the storage did not confirm the end
 */
export const revoke = async (
  context: ServiceContext,
  { accessToken, dpop }: PresentedToken,
  call: Call,
): Promise<{ readonly revokedAt: Date }> => {
  const now = context.system.now()
  switch (await endByAccessToken(context, { accessToken, dpop, now }, call)) {
    case 'ended':
      return { revokedAt: new Date(now) }
    case 'already-ended':
      throw new AuthError('jwt_auth_token_already_revoked')
    case 'not-found':
      throw new AuthError('jwt_auth_token_not_found')
  }
}

/**
 * Ends the session of a token, in whichever state the session is.
 *
 * @throws AuthError `jwt_auth_invalid_token` or `jwt_auth_invalid_refresh_token`; the errors of the
 *   proof as {@link revoke} does, for a bound access token; `jwt_auth_revoke_failed` when the
 *   storage did not confirm the end
 */
export const logout = async (
  context: ServiceContext,
  token: PresentedToken | { readonly refreshToken: string },
  call: Call,
): Promise<EndOutcome['outcome']> => {
  const now = context.system.now()
  if ('accessToken' in token) return endByAccessToken(context, { ...token, now }, call)
  const parsed = requireRefreshToken(context, token.refreshToken)
  const { address } = call.request
  const session = await findBySelectorHash(context, toHash(parsed.selector), address).catch(rethrow)
  if (session === undefined) throw invalidRefreshToken()
  // The selector is as secret as the whole token, and every refresh token of a session names it.
  if (!isActive(session, now)) return 'already-ended'
  return endSession(context, session, { at: now, reason: 'revoked', ipAddress: address }).catch(rethrow)
}

const endByAccessToken = async (
  context: ServiceContext,
  { accessToken, dpop, now }: PresentedToken & { readonly now: EpochMs },
  call: Call,
): Promise<EndOutcome['outcome']> => {
  const auth = context.verifyAccessToken(accessToken, now)
  call.presented = auth
  checkPossession(context, { accessToken, auth }, dpop)?.use()
  return end(context, { auth, address: call.request.address }, now).catch(rethrow)
}

const end = async (
  context: ServiceContext,
  { auth, address }: { readonly auth: Auth; readonly address: string | undefined },
  now: EpochMs,
): Promise<EndOutcome['outcome']> => {
  const { claims, sessionId: id, userId } = auth
  // `exp` never passes the expiry of the session: only a token within the clock tolerance can
  // belong to a session that has expired.
  if (now >= claims.exp * 1000) {
    const session = await context.storage.findById(id)
    if (session !== undefined && !isActive(session, now)) return 'already-ended'
  }
  return endSession(context, { id, userId }, { at: now, reason: 'revoked', ipAddress: address })
}

// The `cause` of the error is the storage's own error, without the wrapping `AuthError`.
const rethrow = (thrown: unknown): never => {
  const { cause = thrown, detail } = isAuthError(thrown) ? thrown : { cause: thrown }
  throw new AuthError('jwt_auth_revoke_failed', { cause, ...(detail !== undefined && { detail }) })
}
