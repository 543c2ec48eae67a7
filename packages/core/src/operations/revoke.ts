import type { Auth } from '../access-token/claims.js'
import { AuthError, isAuthError } from '../errors/auth-error.js'
import type { EndOutcome, SessionRecord } from '../ports/session-storage.js'
import { isActive } from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import { emitRejections } from './authorize.js'
import type { ServiceContext } from './service-context.js'

/** The result of a revocation. */
export interface Revocation {
  /** When the session ended. */
  readonly revokedAt: Date
}

/**
 * Ends the session of an access token. Once it resolves, every instance rejects all tokens of the session. Does not look the user
 * up. Counts refused tokens.
 *
 * @throws AuthError `jwt_auth_invalid_token` before anything is looked up; `jwt_auth_token_not_found` or
 * `jwt_auth_token_already_revoked` for a valid token whose session does not exist or has ended; `jwt_auth_revoke_failed` when the
 * storage did not confirm the end
 */
export const revoke = (
  context: ServiceContext,
  accessToken: string,
  address: string | undefined,
): Promise<Revocation> =>
  context.limits.limitTokens('revoke', address, () =>
    emitRejections(context, address, async (note) => {
      const now = context.system.now()
      const auth = note(context.verifyAccessToken(accessToken, now))
      switch (await end(context, { auth, address }, now)) {
        case 'ended':
          return { revokedAt: new Date(now) }
        case 'already-ended':
          throw new AuthError('jwt_auth_token_already_revoked')
        case 'not-found':
          throw new AuthError('jwt_auth_token_not_found')
      }
    }),
  )

/** When, why and from where a session is ended. */
interface Ending {
  readonly at: EpochMs
  readonly reason: string
  /** The address of the client that caused the end. @default null */
  readonly ipAddress?: string | null | undefined
}

/** Ends one session. Emits `session_ended` if this call ended it. */
export const endSession = async (
  { storage, emit }: Pick<ServiceContext, 'storage' | 'emit'>,
  session: Pick<SessionRecord, 'id' | 'userId'>,
  { at, reason, ipAddress = null }: Ending,
): Promise<EndOutcome['outcome']> => {
  const { outcome } = await storage.end(session.id, { endedAt: at, endReason: reason })
  if (outcome === 'ended') {
    const { id, userId } = session
    emit({ type: 'session_ended', userId, sessionId: id, ipAddress, at: new Date(at), reason })
  }
  return outcome
}

const end = async (
  context: ServiceContext,
  { auth, address }: { readonly auth: Auth; readonly address: string | undefined },
  now: EpochMs,
): Promise<EndOutcome['outcome']> => {
  try {
    if (await hasExpired(context, auth, now)) return 'already-ended'
    const session = { id: auth.sessionId, userId: auth.userId }
    return await endSession(context, session, { at: now, reason: 'revoked', ipAddress: address })
  } catch (thrown) {
    throw toRevokeFailed(thrown)
  }
}

// `exp` never passes the expiry of the session: only a token within the clock tolerance can belong to a session that has expired.
const hasExpired = async (
  { findSession }: ServiceContext,
  { claims, sessionId }: Auth,
  now: EpochMs,
): Promise<boolean> => {
  if (now < claims.exp * 1000) return false
  const session = await findSession(sessionId)
  return session !== undefined && !isActive(session, now)
}

// The `cause` of the error is the storage's own error, without the wrapping `AuthError`.
const toRevokeFailed = (thrown: unknown): AuthError => {
  const { cause = thrown, detail } = isAuthError(thrown) ? thrown : { cause: thrown }
  return new AuthError('jwt_auth_revoke_failed', { cause, ...(detail !== undefined && { detail }) })
}
