import { AuthError } from '../errors/auth-error.js'
import { optionError } from '../option-checks.js'
import type { SessionRecord } from '../ports/session-storage.js'
import { isUserId, type UserId } from '../ports/user-directory.js'
import type { Device } from '../session/device.js'
import { isSessionId } from '../session/session-id.js'
import { toExpiry } from '../session/session-record.js'
import { endSession } from './end-session.js'
import type { AuthenticationResult } from './issue-tokens.js'
import { openSession } from './open-session.js'
import { purge } from './purge.js'
import { revokeIssuedBefore } from './revoke-issued-before.js'
import type { ServiceContext } from './service-context.js'

/** An active session, in a form that you may show to its user. Contains no secret. */
export interface SessionSummary {
  /** Identifies the session, for {@link Sessions.revoke}. */
  readonly id: string
  /** When the session was opened. */
  readonly createdAt: Date
  /** The last login or refresh. */
  readonly lastUsedAt: Date
  /** When the session expires unless a refresh moves this instant. */
  readonly expiresAt: Date
  /** The user agent of the login. Text that the client wrote: escape it. */
  readonly userAgent: string | null
  /** The address of the login. `null` if it is unknown. */
  readonly ipAddress: string | null
  /** The user agent of the last login or refresh. Text that the client wrote: escape it. */
  readonly lastUserAgent: string | null
  /** The address of the last login or refresh. */
  readonly lastIpAddress: string | null
  /** Your own name for the session. `null` if it has none. */
  readonly label: string | null
}

/** The operations on sessions for the application. Each throws an {@link AuthError} `jwt_auth_unavailable` when the storage fails. */
export interface Sessions {
  /**
   * Opens a session without a password (after single sign-on, a second factor, a sign-up).
   *
   * @throws {@link AuthError} `jwt_auth_failed` when the user does not exist or is disabled
   */
  readonly create: (userId: UserId, device?: Device) => Promise<AuthenticationResult>
  /** Resolves to the active sessions of a user, the newest first; to the newest 1,000 if there are more. */
  readonly list: (userId: UserId) => Promise<readonly SessionSummary[]>
  /** Ends one session of a user. `not-found` also when the session is another user's. */
  readonly revoke: (session: {
    readonly userId: UserId
    readonly sessionId: string
  }) => Promise<'ended' | 'already-ended' | 'not-found'>
  /**
   * Ends all sessions of a user. Resolves to how many it ended. Call it after you have changed, disabled or deleted the user;
   * after a password change, respond with a new session from {@link Sessions.create}. `reason` has 1 to 64 characters.
   * @default reason 'revoked_all'
   */
  readonly revokeAll: (userId: UserId, options?: { readonly reason?: string | undefined }) => Promise<number>
  /**
   * Ends every active session of this service (its issuer and its former issuers) that was opened before an instant. Resolves to how
   * many it ended. Call it after you have restored a backup of the storage, with the time of the restore: a backup revives revoked
   * sessions and replaced refresh tokens. It works in batches; when it throws, call it again.
   */
  readonly revokeIssuedBefore: (instant: Date) => Promise<number>
  /**
   * Deletes the sessions whose last token expired a day ago, and removes what a session keeps for repeated refreshes once their grace
   * window has passed. Resolves to how many sessions it deleted. `batch` is how many sessions one statement changes, 1 to 10,000;
   * requests have their turn between two batches. Several instances may purge concurrently. Once `close()` was called, no further
   * batch starts.
   * @default batch 100
   */
  readonly purge: (options?: { readonly batch?: number | undefined }) => Promise<number>
}

/** The most sessions that {@link Sessions.list} resolves to. */
const mostListed = 1_000

/** Binds the host's operations on sessions. */
export const createSessions = (context: ServiceContext): Sessions => ({
  create: async (userId, device = {}) => create(context, readUserId(userId), device),
  list: async (userId) => list(context, readUserId(userId)),
  revoke: async ({ userId, sessionId }) => revokeOne(context, { userId: readUserId(userId), sessionId }),
  revokeAll: async (userId, options = {}) => revokeAll(context, readUserId(userId), options),
  revokeIssuedBefore: async (instant) => revokeIssuedBefore(context, instant),
  purge: (options = {}) => purge(context, options),
})

// Called from JavaScript too, where `undefined` would quietly be nobody.
const readUserId = (userId: unknown): UserId => {
  if (isUserId(userId)) return userId
  throw optionError('userId', 'a whole number, or 1 to 255 characters of text', userId)
}

const create = async (context: ServiceContext, userId: UserId, device: Device): Promise<AuthenticationResult> => {
  const user = await context.users.findById(userId)
  const opened = user === undefined || user.disabled ? undefined : await openSession(context, user, device)
  if (typeof opened === 'object') return opened
  throw new AuthError('jwt_auth_failed')
}

const list = async ({ storage, system }: ServiceContext, userId: UserId): Promise<readonly SessionSummary[]> => {
  const sessions = await storage.listActive(userId, { now: system.now(), limit: mostListed })
  return sessions.map(toSummary)
}

const toSummary = (session: SessionRecord): SessionSummary => ({
  id: session.id,
  createdAt: new Date(session.createdAt),
  lastUsedAt: new Date(session.lastUsedAt),
  expiresAt: new Date(toExpiry(session)),
  userAgent: session.userAgent,
  ipAddress: session.ipAddress,
  lastUserAgent: session.lastUserAgent,
  lastIpAddress: session.lastIpAddress,
  label: session.label,
})

const revokeOne = async (
  context: ServiceContext,
  { userId, sessionId }: { readonly userId: UserId; readonly sessionId: string },
): Promise<'ended' | 'already-ended' | 'not-found'> => {
  if (!isSessionId(sessionId)) return 'not-found'
  // A session never changes its user, so that looking first leaves no race.
  const session = await context.findSession(sessionId)
  if (session === undefined || session.userId !== userId) return 'not-found'
  const { outcome } = await endSession(context, session, { at: context.system.now(), reason: 'revoked' })
  return outcome
}

const revokeAll = async (
  context: ServiceContext,
  userId: UserId,
  { reason = 'revoked_all' }: { readonly reason?: string | undefined },
): Promise<number> => {
  if (typeof reason !== 'string' || reason.length < 1 || reason.length > 64)
    throw optionError('reason', '1 to 64 characters', reason)
  const at = context.system.now()
  const ended = await context.storage.endAllForUser(userId, { endedAt: at, endReason: reason })
  if (ended > 0) context.emit({ type: 'sessions_ended', userId, count: ended, at: new Date(at), reason })
  return ended
}
