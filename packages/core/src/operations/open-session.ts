import { AuthError } from '../errors/auth-error.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { drawRefreshToken, type RefreshToken } from '../refresh-token/refresh-token.js'
import { type Device, toStoredDevice } from '../session/device.js'
import { toNewSession } from '../session/new-session.js'
import { drawSessionId } from '../session/session-id.js'
import { type EndReason, hasTimeForAccessToken, reasonToEnd } from '../session/session-record.js'
import { type AuthenticationResult, issueTokens } from './issue-tokens.js'
import { limitSessions } from './limit-sessions.js'
import type { ServiceParts } from './service-parts.js'

/** How a user differs, when their session is stored, from the user it was opened for. */
export type UserChange = 'missing' | 'disabled' | 'other-version'

/**
 * Opens a session for a user and resolves to its first pair of tokens, or to what has changed when the user is missing,
 * disabled, or has another credential version by the time the session is stored. (A password change or a deletion that ran while the password
 * was being checked must win; a host that changes the user first and revokes then finds the session either way.)
 */
export const openSession = async (
  parts: ServiceParts,
  user: User,
  device: Device,
): Promise<AuthenticationResult | UserChange> => {
  const refreshToken = drawRefreshToken(parts.system.randomBytes)
  const session = toNewSession(
    {
      id: drawSessionId(parts.system.randomBytes),
      issuer: parts.issuer,
      user,
      refreshToken,
      device: toStoredDevice(device),
    },
    { now: parts.system.now(), policy: parts.policy },
  )
  await parts.storage.create(session)
  return settle(parts, session, refreshToken)
}

const settle = async (
  parts: ServiceParts,
  session: SessionRecord,
  refreshToken: RefreshToken,
): Promise<AuthenticationResult | UserChange> => {
  try {
    const user = await parts.users.findById(session.userId)
    const reason = reasonToEnd(user, session.credentialVersion)
    if (user === undefined || reason !== undefined) {
      await end(parts, session, reason ?? 'user_unavailable')
      return toChange(user)
    }
    const hostClaims = await parts.readHostClaims(user)
    const now = parts.system.now()
    if (!hasTimeForAccessToken(session, now)) throw tooLate()
    const result = await issueTokens(parts.issueAccessToken, { session, refreshToken, user, hostClaims }, now)
    await limitSessions(parts, session.userId)
    announceCreated(parts, session)
    return result
  } catch (failure) {
    // Nobody will ever hold this session's tokens. Should this write fail too, the session idles away unused.
    await end(parts, session, 'login_failed').catch(() => {})
    throw failure
  }
}

const toChange = (user: User | undefined): UserChange => {
  if (user === undefined) return 'missing'
  return user.disabled ? 'disabled' : 'other-version'
}

const tooLate = (): AuthError =>
  new AuthError('jwt_auth_unavailable', {
    cause: new Error('jwt-auth: the session was over before its user was found.'),
  })

const end = async (parts: ServiceParts, session: SessionRecord, reason: EndReason): Promise<void> => {
  await parts.storage.end(session.id, { endedAt: parts.system.now(), endReason: reason })
}

const announceCreated = ({ announce }: ServiceParts, session: SessionRecord): void =>
  announce({
    type: 'session_created',
    userId: session.userId,
    sessionId: session.id,
    at: new Date(session.createdAt),
  })
