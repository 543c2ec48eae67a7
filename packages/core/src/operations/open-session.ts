import { AuthError } from '../errors/auth-error.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import { generateRefreshToken, type RefreshToken } from '../refresh-token/refresh-token.js'
import { type Device, toStoredDevice } from '../session/device.js'
import { toNewSession } from '../session/new-session.js'
import { generateSessionId } from '../session/session-id.js'
import { checkUser, type EndReason, hasTimeForAccessToken } from '../session/session-record.js'
import { type AuthenticationResult, issueTokens } from './issue-tokens.js'
import { limitSessions } from './limit-sessions.js'
import type { ServiceContext } from './service-context.js'

/** How a user differs, when their session is stored, from the user it was opened for. */
export type UserChange = 'missing' | 'disabled' | 'other-version'

/**
 * Opens a session for a user and resolves to its first pair of tokens, or to what has changed when the user is missing,
 * disabled, or has another credential version by the time the session is stored. (A password change or a deletion that ran while the password
 * was being checked must win; a host that changes the user first and revokes then finds the session either way.)
 */
export const openSession = async (
  context: ServiceContext,
  user: User,
  device: Device,
): Promise<AuthenticationResult | UserChange> => {
  const refreshToken = generateRefreshToken(context.system.randomBytes)
  const session = toNewSession(
    {
      id: generateSessionId(context.system.randomBytes),
      issuer: context.issuer,
      user,
      refreshToken,
      device: toStoredDevice(device),
    },
    { now: context.system.now(), policy: context.policy },
  )
  await context.storage.create(session)
  return confirmUser(context, session, refreshToken)
}

const confirmUser = async (
  context: ServiceContext,
  session: SessionRecord,
  refreshToken: RefreshToken,
): Promise<AuthenticationResult | UserChange> => {
  try {
    const found = await context.users.findById(session.userId)
    const check = checkUser(found, session.credentialVersion)
    if (check.kind === 'end') {
      await endSilently(context, session, check.reason)
      return toChange(found)
    }
    const { user } = check
    const hostClaims = await context.readHostClaims(user)
    const now = context.system.now()
    if (!hasTimeForAccessToken(session, now)) throw tooLate()
    const result = await issueTokens(context.issueAccessToken, { session, refreshToken, user, hostClaims }, now)
    await limitSessions(context, session.userId)
    emitCreated(context, session)
    return result
  } catch (failure) {
    // Nobody will ever hold this session's tokens. Should this write fail too, the session idles away unused.
    await endSilently(context, session, 'login_failed').catch(() => {})
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

/** Ends a session whose tokens nobody received, without an event. */
const endSilently = async (context: ServiceContext, session: SessionRecord, reason: EndReason): Promise<void> => {
  await context.storage.end(session.id, { endedAt: context.system.now(), endReason: reason })
}

const emitCreated = ({ emit }: ServiceContext, session: SessionRecord): void =>
  emit({
    type: 'session_created',
    userId: session.userId,
    sessionId: session.id,
    at: new Date(session.createdAt),
  })
