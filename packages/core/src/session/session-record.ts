import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import type { EpochMs } from '../system.js'

/** When a session's life ends if it is not used again. */
export const toExpiry = (session: SessionRecord): EpochMs => Math.min(session.idleExpiresAt, session.absoluteExpiresAt)

/** Whether a session still stands: not ended, and before both of its ends. */
export const isActive = (session: SessionRecord, now: EpochMs): boolean =>
  session.endedAt === null && now < toExpiry(session)

/**
 * Whether an access token issued now would live at all: `exp` counts whole seconds and never passes the session's end,
 * so in the very last second of a session there is none to give.
 */
export const hasTimeForAccessToken = (session: SessionRecord, now: EpochMs): boolean =>
  Math.floor(toExpiry(session) / 1000) > Math.floor(now / 1000)

/** Why the service itself ends a session. A host may give other reasons to `sessions.revokeAll`. */
export type EndReason =
  | 'revoked'
  | 'refresh_token_replayed'
  | 'refresh_token_repeated'
  | 'user_unavailable'
  | 'credentials_changed'
  | 'login_failed'
  | 'session_limit'

/** The credential version as it is stored: text, or `null` where the directory keeps none. */
export const toCredentialVersion = (user: User): string | null =>
  user.credentialVersion === undefined ? null : String(user.credentialVersion)

/** Whether a session can go on for its user. */
export type UserCheck =
  | { readonly kind: 'ok'; readonly user: User }
  | { readonly kind: 'end'; readonly reason: EndReason }

/**
 * Checks whether a session can go on for its user as the directory returns them now. A session that was opened before the directory kept
 * versions, or after it stopped, has another version and ends.
 */
export const checkUser = (user: User | undefined, credentialVersion: string | null): UserCheck => {
  if (user === undefined || user.disabled) return { kind: 'end', reason: 'user_unavailable' }
  if (toCredentialVersion(user) !== credentialVersion) return { kind: 'end', reason: 'credentials_changed' }
  return { kind: 'ok', user }
}
