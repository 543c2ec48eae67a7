import type { Auth } from '../access-token/auth.js'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import type { EndOutcome } from '../ports/session-storage.js'
import { isActive } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import { endSession } from './end-session.js'
import type { ServiceContext } from './service-context.js'

/** When a revocation took place. */
export interface Revocation {
  /** When the session ended. */
  readonly revokedAt: Date
}

/**
 * Ends the session of the access token presented: from the answer on, none of its tokens is let in anywhere. Whose session it
 * is, is not looked up: the signature says that this service named it. Throws
 * `jwt_auth_invalid_token` before anything is looked up; for a genuine unexpired token `jwt_auth_token_not_found`,
 * `jwt_auth_token_already_revoked`, or `jwt_auth_revoke_failed` when storage did not confirm the end.
 */
export const revoke = (
  context: ServiceContext,
  accessToken: string,
  address: string | undefined,
): Promise<Revocation> =>
  context.limits.limitTokens('revoke', address, async () => {
    const now = context.system.now()
    const auth = context.verifyAccessToken(accessToken, now)
    switch (await end(context, auth, now)) {
      case 'ended':
        return { revokedAt: new Date(now) }
      case 'already-ended':
        throw new AuthError('jwt_auth_token_already_revoked')
      case 'not-found':
        throw new AuthError('jwt_auth_token_not_found')
    }
  })

const end = async (context: ServiceContext, auth: Auth, now: EpochMs): Promise<EndOutcome['outcome']> => {
  try {
    if (await isPastItsEnd(context, auth, now)) return 'already-ended'
    const session = { id: auth.sessionId, userId: auth.userId }
    const { outcome } = await endSession(context, session, { at: now, reason: 'revoked' })
    return outcome
  } catch (thrown) {
    throw toRevokeFailed(thrown)
  }
}

// The log shows one cause: that of the storage, not the error for the client around it.
const toRevokeFailed = (thrown: unknown): AuthError => {
  const { cause = thrown, detail } = isAuthError(thrown) ? thrown : { cause: thrown }
  return new AuthError('jwt_auth_revoke_failed', { cause, ...(detail !== undefined && { detail }) })
}

// `exp` never passes the session's end: only a token that the clock tolerance still lets in can belong to a session that
// has expired, which is an end like any other.
const isPastItsEnd = async (
  { findSession }: ServiceContext,
  { claims, sessionId }: Auth,
  now: EpochMs,
): Promise<boolean> => {
  if (now < claims.exp * 1000) return false
  const session = await findSession(sessionId)
  return session !== undefined && !isActive(session, now)
}
