import { AuthError, toAuthError } from '../errors/auth-error.js'
import { createIntegerReader } from '../option-checks.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { User, UserId } from '../ports/user-directory.js'
import type { EndReason } from '../session/end-reason.js'
import { generateRefreshToken, type RefreshToken } from '../session/refresh-token.js'
import {
  checkUser,
  generateSessionId,
  hasTimeForAccessToken,
  type SessionOpening,
  toEndReason,
  toNewSession,
  type UserChange,
} from '../session/session-record.js'
import { readAttributes } from './attributes.js'
import { endSession } from './end-session.js'
import { type AuthenticationResult, issueTokens } from './issue-tokens.js'
import type { ServiceContext } from './service-context.js'

/** What a new session has besides what its request says. */
export interface LoginOptions {
  /**
   * What was true of this login, and stays true of the session: a plain object of JSON data, at
   * most 1,024 characters. The option `claims` receives it at each refresh.
   * @default {}
   */
  readonly attributes?: object | undefined
  /**
   * The session ends this long after now in any case, in seconds, from 1 to
   * `sessionAbsoluteTimeoutSeconds`.
   * @default `sessionAbsoluteTimeoutSeconds`
   */
  readonly absoluteTimeoutSeconds?: number | undefined
}

/** Creates the readers of {@link LoginOptions}. */
export const createLoginReaders = ({ policy }: Pick<ServiceContext, 'policy'>) => ({
  attributes: readAttributes,
  absoluteTimeoutSeconds: createIntegerReader({
    min: 1,
    max: policy.sessionAbsoluteTimeoutSeconds,
    default: undefined,
    unit: 'seconds',
  }),
})

/**
 * Opens a session and resolves to its first pair of tokens. Resolves to what has changed if the
 * user no longer exists, is disabled, or has another credential version once the session is stored.
 *
 * A password change or a deletion during the password check must win. If the application changes
 * the user first and then revokes the sessions, the new session ends, whether it was stored before
 * or after the revocation.
 */
export const openSession = async (
  context: ServiceContext,
  user: User,
  given: Omit<SessionOpening, 'id' | 'issuer' | 'user' | 'refreshToken'>,
): Promise<AuthenticationResult | UserChange> => {
  const { system, issuer, policy, storage } = context
  const refreshToken = generateRefreshToken(system.randomBytes)
  const id = generateSessionId(system.randomBytes)
  const session = toNewSession({ ...given, id, issuer, user, refreshToken }, { now: system.now(), policy })
  await storage.create(session)
  try {
    return await confirmUser(context, session, refreshToken)
  } catch (failure) {
    // Nobody receives the tokens of this session. If this write fails too, the session expires
    // unused.
    const endReason = 'login_failed' satisfies EndReason
    await storage.end({ id, endedAt: system.now(), endReason }).catch(() => {})
    throw failure
  }
}

const confirmUser = async (
  context: ServiceContext,
  session: SessionRecord,
  refreshToken: RefreshToken,
): Promise<AuthenticationResult | UserChange> => {
  const user = checkUser(await context.users.findById(session.userId), session.credentialVersion)
  if (typeof user === 'string') {
    await context.storage.end({ id: session.id, endedAt: context.system.now(), endReason: toEndReason(user) })
    return user
  }
  const now = context.system.now()
  if (!hasTimeForAccessToken(session, now)) {
    const cause = new Error('jwt-auth: the session had expired before its user was found.')
    throw new AuthError('jwt_auth_unavailable', { cause })
  }
  const result = await issueTokens(context, { session, refreshToken, user }, now)
  // The session exists. Old sessions that cannot be found or ended must not lock its user out: the
  // next login tries again.
  await limitSessions(context, session.userId).catch((thrown: unknown) => context.report(toAuthError(thrown)))
  context.emit({
    type: 'session_created',
    userId: user.id,
    sessionId: session.id,
    ipAddress: session.ipAddress,
    at: new Date(session.rotatedAt),
  })
  return result
}

// After a change to a lower limit there are many surplus sessions. Each login ends some of them.
const maxEnded = 100
const maxConcurrent = 10

// Ends the sessions that have been unused the longest. Concurrent logins see the same order, and
// end the same sessions.
const limitSessions = async (context: ServiceContext, userId: UserId): Promise<void> => {
  const { maxSessionsPerUser } = context.policy
  const now = context.system.now()
  const active = await context.storage.list({ userId, activeAt: now, limit: maxSessionsPerUser + maxEnded })
  const surplus = active.toSorted(byLastUse).slice(maxSessionsPerUser)
  for (let start = 0; start < surplus.length; start += maxConcurrent) {
    const batch = surplus.slice(start, start + maxConcurrent)
    await Promise.all(batch.map((old) => endSession(context, old, { at: now, reason: 'session_limit' })))
  }
}

// The newest use first. The id decides between two uses of one millisecond.
const byLastUse = (a: SessionRecord, b: SessionRecord): number => b.lastUsedAt - a.lastUsedAt || (a.id < b.id ? -1 : 1)
