import { requireBinding } from '../dpop/possession.js'
import { AuthError, toAuthError } from '../errors/auth-error.js'
import { isThumbprint } from '../keys/key.js'
import { invalidOption, optionError, readBoolean, readInstant, readOptions } from '../option-checks.js'
import type { EndOutcome, SessionRecord } from '../ports/session-storage.js'
import type { User, UserId } from '../ports/user-directory.js'
import { type EndReason, endReasons } from '../session/end-reason.js'
import {
  type Device,
  isActive,
  isRandomId,
  toCredentialVersion,
  toExpiry,
  toStoredDevice,
} from '../session/session-record.js'
import type { EpochMs } from '../system.js'
import { parseUserId, toOtherType } from '../user-id.js'
import { parseAttributes } from './attributes.js'
import { endSession } from './end-session.js'
import type { AuthenticationResult } from './issue-tokens.js'
import { createLoginReaders, type LoginOptions, openSession } from './open-session.js'
import type { ServiceContext } from './service-context.js'

/** A session, as you may show it to its user. Contains no secret. */
export interface SessionSummary {
  /** Identifies the session for {@link Sessions.revoke}. */
  readonly id: string
  /** When the user logged in. */
  readonly createdAt: Date
  /** When the last login or refresh took place. */
  readonly lastUsedAt: Date
  /** When the session expires unless it is used before. */
  readonly expiresAt: Date
  /** When the session ended or expired, or `null` if it is active. */
  readonly endedAt: Date | null
  /**
   * Why the session ended, such as `'revoked'`, `'expired'` or your own reason. `null` if it is
   * active.
   */
  readonly endReason: string | null
  /**
   * The user agent of the login, or `null` if it is unknown. Text that the client wrote: escape it.
   */
  readonly userAgent: string | null
  /** The address of the login, or `null` if it is unknown. */
  readonly ipAddress: string | null
  /**
   * The user agent of the last login or refresh, or `null` if it is unknown. Text that the client
   * wrote: escape it.
   */
  readonly lastUserAgent: string | null
  /** The address of the last login or refresh, or `null` if it is unknown. */
  readonly lastIpAddress: string | null
  /** Your own name for the session, or `null` if there is none. */
  readonly label: string | null
  /**
   * The attributes with which the session was opened, deeply frozen, and `{}` without any. Data of
   * your application: the routes for the user's own sessions omit them.
   */
  readonly attributes: Readonly<Record<string, unknown>>
  /** Whether the session is bound to a key of its client. See the option `dpop`. */
  readonly isBound: boolean
}

/** How a session opens without a password. */
export interface NewSessionOptions extends LoginOptions {
  /** What to store about the device. @default nothing */
  readonly device?: Device | undefined
  /**
   * The RFC 7638 thumbprint of the key with SHA-256, which `checkDpopProof` returns. `undefined`
   * opens a session that is not bound.
   */
  readonly dpopThumbprint?: string | undefined
  /**
   * The `credentialVersion` of the user when their credentials were checked. No session opens if
   * the version has changed since.
   * @default the version is not compared
   */
  readonly credentialVersion?: User['credentialVersion']
  /**
   * When the user logged in, for `auth_time` and `maxAuthAgeSeconds`: the `auth_time` of a
   * provider, or the time of a login that the session continues. Not in the future. The session
   * lasts as long as without it.
   * @default now
   */
  readonly authenticatedAt?: Date | undefined
}

/**
 * Lists, opens and ends sessions, and deletes expired ones. Every method throws an
 * {@link AuthError} `jwt_auth_unavailable` when the storage fails or after `close()`, and a
 * `TypeError` for a wrong argument, such as the id `'1'` for the user `1`. `U` is your type of a
 * user.
 */
export interface Sessions<U extends User = User> {
  /**
   * Opens a session without a password and without a request, in a job or a test. In a route, call
   * `openSession(req, userId)` of `@jwt-auth/express`, which reads the device and the proof of the
   * request.
   *
   * @throws TypeError that names the option, and stores nothing, for a wrong option
   * @throws an {@link AuthError} `jwt_auth_failed` when the user does not exist or is disabled;
   *   `jwt_auth_invalid_dpop_proof` without a thumbprint if `dpop.required` is set
   * @example
   * ```ts
   * const device = { label: 'nightly report' }
   * const { accessToken } = await auth.sessions.create(userId, { device })
   * ```
   */
  create(userId: U['id'], options?: NewSessionOptions): Promise<AuthenticationResult<U>>
  /**
   * Resolves to the active sessions of a user, the newest first. With `includeEnded`, these are
   * followed by the sessions that have ended or expired and have not been purged, the latest end
   * first. Resolves to at most 1,000 sessions in all. Omits a session that cannot be read, and
   * calls `onError` with its id.
   * @default includeEnded false
   * @example
   * ```ts
   * const all = await auth.sessions.list(userId, { includeEnded: true })
   * const latestEnded = all.find(({ endedAt }) => endedAt !== null)
   * ```
   */
  list(userId: U['id'], options?: { readonly includeEnded?: boolean | undefined }): Promise<readonly SessionSummary[]>
  /** Ends one session of a user. Resolves to `not-found` for a session of another user too. */
  revoke(userId: U['id'], sessionId: string): Promise<'ended' | 'already-ended' | 'not-found'>
  /**
   * Ends all sessions of a user. Resolves to how many it ended. Call it after you have changed,
   * disabled or deleted the user. After a password change, call `replaceSessions` of
   * `@jwt-auth/express` instead. `reason` has 1 to 64 characters, and is none of the service
   * itself.
   * @default reason 'revoked_all'
   */
  revokeAll(userId: U['id'], options?: { readonly reason?: string | undefined }): Promise<number>
  /**
   * Ends every active session of this service (its issuer and its former issuers) whose user logged
   * in before an instant. Resolves to how many it ended. Call it after you have restored a backup
   * of the storage, with the time of the restore: a backup revives revoked sessions and replaced
   * refresh tokens. It works in batches. If it throws, call it again.
   */
  revokeAllCreatedBefore(instant: Date): Promise<number>
  /**
   * Deletes sessions whose last token expired at least a day ago. Resolves to how many sessions it
   * deleted. Works in batches of about 5 milliseconds, and requests run between two batches.
   * Several instances may purge concurrently. After `close()`, no further batch starts.
   */
  purge(): Promise<number>
}

const maxListed = 1_000

/** The arguments of an operation about one user. */
interface OfUser<Options> {
  readonly userId: UserId
  readonly options?: Options | undefined
}

const readThumbprint = (context: ServiceContext, dpopThumbprint: string | undefined): string | null => {
  requireBinding(context, dpopThumbprint)
  if (dpopThumbprint === undefined) return null
  if (context.dpop === undefined) throw invalidOption('dpopThumbprint', 'needs the option `dpop`', 'set `dpop`.')
  if (isThumbprint(dpopThumbprint)) return dpopThumbprint
  throw optionError('dpopThumbprint', 'a thumbprint: 43 characters of base64url', dpopThumbprint)
}

/** Opens a session without a password. */
export const createSession = async (
  context: ServiceContext,
  { options = {}, ...given }: OfUser<NewSessionOptions>,
): Promise<AuthenticationResult> => {
  const now = context.system.now()
  const { credentialVersion, ...opening } = readOptions('sessions.create', options, {
    device: (_, device = {}) => toStoredDevice(device, '`device` of sessions.create'),
    dpopThumbprint: (_, thumbprint) => readThumbprint(context, thumbprint),
    ...createLoginReaders(context),
    credentialVersion: (_, version) => version,
    authenticatedAt: (name, instant = new Date(now)) => readInstant(name, instant, now).getTime(),
  })
  const userId = parseUserId(given.userId)
  const user = await context.users.findById(userId)
  if (user === undefined) {
    refuseOtherIdType(context, userId, 'sessions.create')
    const reason =
      "`users.findById` found no user with this id. Pass ids with the type that `users` returns: 1 and '1' are different ids."
    context.reportFault(`sessions.create opened no session: ${reason}`)
    throw failed(reason)
  }
  if (credentialVersion !== undefined && toCredentialVersion({ credentialVersion }) !== toCredentialVersion(user)) {
    throw failed('the credentials of the user changed after they were checked')
  }
  const opened = user.disabled ? 'disabled' : await openSession(context, user, opening)
  if (typeof opened === 'object') return opened
  throw failed(opened === 'disabled' ? 'the user is disabled' : 'the user changed during the call')
}

const failed = (reason: string): AuthError =>
  new AuthError('jwt_auth_failed', { detail: `sessions.create opened no session: ${reason}` })

/** Lists the sessions of a user. */
export const listSessions = async (
  context: ServiceContext,
  { options = {}, ...given }: OfUser<{ readonly includeEnded?: boolean | undefined }>,
): Promise<readonly SessionSummary[]> => {
  const userId = parseUserId(given.userId)
  const { includeEnded } = readOptions('sessions.list', options, { includeEnded: readBoolean })
  const now = context.system.now()
  const activeAt = includeEnded ? undefined : now
  const sessions = await context.storage.list({ userId, activeAt, limit: maxListed })
  if (sessions.length === 0) refuseOtherIdType(context, userId, 'sessions.list')
  const toReadable = (session: SessionRecord): readonly SessionSummary[] => {
    try {
      return [toSummary(session, now)]
    } catch (thrown) {
      context.report(toAuthError(thrown))
      return []
    }
  }
  return sessions.flatMap(toReadable).toSorted(byEnd)
}

const toSummary = (session: SessionRecord, now: EpochMs): SessionSummary => ({
  id: session.id,
  createdAt: new Date(session.createdAt),
  lastUsedAt: new Date(session.lastUsedAt),
  expiresAt: new Date(toExpiry(session)),
  ...toEnd(session, now),
  userAgent: session.userAgent,
  ipAddress: session.ipAddress,
  lastUserAgent: session.lastUserAgent,
  lastIpAddress: session.lastIpAddress,
  label: session.label,
  attributes: parseAttributes(session),
  isBound: session.dpopThumbprint !== null,
})

const toEnd = (session: SessionRecord, now: EpochMs): Pick<SessionSummary, 'endedAt' | 'endReason'> => {
  if (isActive(session, now)) return { endedAt: null, endReason: null }
  const expired = 'expired' satisfies EndReason
  return { endedAt: new Date(session.endedAt ?? toExpiry(session)), endReason: session.endReason ?? expired }
}

// The storage lists an expired session before the sessions that ended. The sort keeps the order of
// active sessions.
const byEnd = (a: SessionSummary, b: SessionSummary): number => toEndMs(b) - toEndMs(a)

const toEndMs = ({ endedAt }: SessionSummary): EpochMs => endedAt?.getTime() ?? Number.MAX_SAFE_INTEGER

/** Ends one session of a user. */
export const revokeSession = async (
  context: ServiceContext,
  given: { readonly userId: UserId; readonly sessionId: string },
): Promise<EndOutcome['outcome']> => {
  const { sessionId } = given
  const owner = parseUserId(given.userId)
  if (typeof sessionId !== 'string') throw optionError('sessionId', 'the `id` of a listed session', sessionId)
  if (!isRandomId(sessionId)) return 'not-found'
  // A session never changes its user, so that the lookup before the write leaves no race.
  const session = await context.storage.findById(sessionId)
  if (session === undefined || session.userId !== owner) {
    if (String(session?.userId) === String(owner)) refuseOtherIdType(context, owner, 'sessions.revoke')
    return 'not-found'
  }
  return endSession(context, session, { at: context.system.now(), reason: 'revoked' })
}

const revokedAll = 'revoked_all' satisfies EndReason

const readReason = (name: string, reason: unknown = revokedAll): string => {
  if (typeof reason !== 'string' || reason.length < 1 || reason.length > 64) {
    throw optionError(name, '1 to 64 characters', reason)
  }
  if (reason === revokedAll || !Object.hasOwn(endReasons, reason)) return reason
  throw invalidOption(name, 'is a reason of the service itself', 'pass another text, such as `password_changed`.')
}

/** Ends all sessions of a user. */
export const revokeAllSessions = async (
  context: ServiceContext,
  { options = {}, ...given }: OfUser<{ readonly reason?: string | undefined }>,
): Promise<number> => {
  const userId = parseUserId(given.userId)
  const { reason } = readOptions('sessions.revokeAll', options, { reason: readReason })
  const at = context.system.now()
  const count = await context.storage.endAllForUser({ userId, endedAt: at, endReason: reason })
  if (count === 0) refuseOtherIdType(context, userId, 'sessions.revokeAll')
  else context.emit({ type: 'sessions_ended', userId, count, at: new Date(at), reason })
  return count
}

/**
 * Checks a user id for which nothing was found: the application may have passed `'1'`, from a URL,
 * for the user `1`.
 *
 * @throws TypeError if the directory has returned ids of the other type only
 */
const refuseOtherIdType = ({ users: { idTypes } }: ServiceContext, userId: UserId, caller: string): void => {
  const other = toOtherType(userId)
  if (other === undefined || idTypes.size === 0 || idTypes.has(typeof userId)) return
  throw new TypeError(
    `jwt-auth: ${caller} received a user id of the type ${typeof userId}, but the ids of your users have the type ${typeof other}. Convert it: 1 and '1' are different ids.`,
  )
}
