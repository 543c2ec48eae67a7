import { checkOptionNames, describeValue, getMember, usageError } from '../option-checks.js'
import type { RecentVerifier, SessionRecord } from '../ports/session-storage.js'
import type { User } from '../ports/user-directory.js'
import type { EpochMs, System } from '../system.js'
import { type RefreshToken, toHash } from './refresh-token.js'

/** How long sessions last, in whole seconds. */
export interface SessionPolicy {
  /** A session ends if its refresh token is not used for this long. */
  readonly sessionIdleTimeoutSeconds: number
  /** A session ends this long after the login in any case. */
  readonly sessionAbsoluteTimeoutSeconds: number
  /** How long a replaced refresh token can still be exchanged for the current refresh token. */
  readonly refreshGraceSeconds: number
}

/** What to store about the device of a login, for the user's list of sessions. */
export interface Device {
  /** The `User-Agent` header. Cut to 512 UTF-16 code units. @default null */
  readonly userAgent?: string | null | undefined
  /** The client's address. Cut to 64 UTF-16 code units. @default null */
  readonly ipAddress?: string | null | undefined
  /** Your own name for the session. Cut to 255 UTF-16 code units. @default null */
  readonly label?: string | null | undefined
}

/**
 * Where a request came from, as the option `device` returned it. A client may have written the
 * text: escape it.
 */
export interface ClientInfo {
  /** The user agent, at most 512 UTF-16 code units. `null` if it is unknown. */
  readonly userAgent: string | null
  /** The client's address, at most 64 UTF-16 code units. `null` if it is unknown. */
  readonly ipAddress: string | null
}

/** A device as it is stored. */
export type StoredDevice = Pick<SessionRecord, 'userAgent' | 'ipAddress' | 'label'>

/**
 * Returns a device as every storage can keep it: short, well-formed text or `null`.
 *
 * @param name The name of the device, for messages.
 * @throws TypeError that names the invalid or unknown member
 */
export const toStoredDevice = (device: Device, name = '`device`'): StoredDevice => {
  const { userAgent, ipAddress, label } = checkOptionNames(device, maxLengths, name)
  return {
    userAgent: toText('userAgent', userAgent, name),
    ipAddress: toText('ipAddress', ipAddress, name),
    label: toText('label', label, name),
  }
}

const toText = (member: keyof Device, value: unknown, name: string): string | null => {
  if (value === undefined || value === null || value === '') return null
  if (typeof value !== 'string') {
    const received = describeValue(value)
    throw usageError('device', `\`${member}\` of ${name} must be text or null; received ${received}.`)
  }
  // PostgreSQL stores no NUL. No database stores an unpaired surrogate, which the cut may leave.
  return value.replaceAll('\0', '').slice(0, maxLengths[member]).toWellFormed()
}

const maxLengths = { userAgent: 512, ipAddress: 64, label: 255 }

/** Generates the id of a session: 16 random bytes, which are 22 characters of base64url. */
export const generateSessionId = (randomBytes: System['randomBytes']): string => randomBytes(16).toString('base64url')

/** Returns whether a value has the form of the ids of sessions and access tokens. */
export const isRandomId = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9_-]{22}$/.test(value)

/** What the record of a new session is made of. */
export interface SessionOpening {
  readonly id: string
  readonly issuer: string
  readonly user: User
  readonly refreshToken: RefreshToken
  readonly device: StoredDevice
  readonly dpopThumbprint: string | null
  /** The attributes, as they are stored. @default null */
  readonly attributes?: string | null | undefined
  /** When the session ends in any case. @default that of the policy */
  readonly absoluteTimeoutSeconds?: number | undefined
  /** When the user logged in. @default now */
  readonly authenticatedAt?: EpochMs | undefined
}

/** Returns the record of a session that opens now. */
export const toNewSession = (
  opening: SessionOpening,
  { now, policy }: { readonly now: EpochMs; readonly policy: SessionPolicy },
): SessionRecord => {
  const { absoluteTimeoutSeconds = policy.sessionAbsoluteTimeoutSeconds } = opening
  const absoluteExpiresAt = now + absoluteTimeoutSeconds * 1000
  return {
    id: opening.id,
    issuer: opening.issuer,
    userId: opening.user.id,
    selectorHash: toHash(opening.refreshToken.selector),
    verifierHash: toHash(opening.refreshToken.verifier),
    recentVerifiers: [],
    createdAt: opening.authenticatedAt ?? now,
    rotatedAt: now,
    lastUsedAt: now,
    idleExpiresAt: Math.min(now + policy.sessionIdleTimeoutSeconds * 1000, absoluteExpiresAt),
    absoluteExpiresAt,
    endedAt: null,
    endReason: null,
    credentialVersion: toCredentialVersion(opening.user),
    dpopThumbprint: opening.dpopThumbprint,
    ...opening.device,
    lastUserAgent: opening.device.userAgent,
    lastIpAddress: opening.device.ipAddress,
    attributes: opening.attributes ?? null,
  }
}

/** Returns when a session expires if it is not used again. */
export const toExpiry = (session: SessionRecord): EpochMs => Math.min(session.idleExpiresAt, session.absoluteExpiresAt)

/** Returns when a session ended, or when it expires if it is not used again. */
export const toEndOrExpiry = (session: SessionRecord): EpochMs =>
  Math.min(session.endedAt ?? Number.POSITIVE_INFINITY, toExpiry(session))

/** Returns whether a session has neither ended nor expired. */
export const isActive = (session: SessionRecord, now: EpochMs): boolean =>
  session.endedAt === null && now < toExpiry(session)

/**
 * Returns whether an access token that is issued now would be valid at all. `exp` has whole seconds
 * and never passes the expiry of the session, so that there is no access token for the last second
 * of a session.
 */
export const hasTimeForAccessToken = (session: SessionRecord, now: EpochMs): boolean =>
  Math.floor(toExpiry(session) / 1000) > Math.floor(now / 1000)

/** Returns a user's credential version as it is stored. `null` if the directory keeps none. */
export const toCredentialVersion = ({ credentialVersion = null }: Pick<User, 'credentialVersion'>): string | null =>
  credentialVersion === null ? null : String(credentialVersion)

/**
 * Returns a user for a result: JSON omits the `credentialVersion`, which may be derived from the
 * password hash. An object of a class of the application stays as it is.
 */
export const toResultUser = (user: User): User =>
  Object.hasOwn(user, 'credentialVersion') && Object.getPrototypeOf(user) === Object.prototype
    ? Object.defineProperty({ ...user }, 'credentialVersion', { enumerable: false })
    : user

/** How a user has changed since their session was opened. */
export type UserChange = 'missing' | 'disabled' | 'other-version'

/**
 * Checks whether a session may continue: its user exists, is not disabled, and has the credential
 * version of the session. Returns the user, or how they have changed. If the directory has started
 * or stopped keeping versions since the session was opened, the versions differ.
 */
export const checkUser = (user: User | undefined, credentialVersion: string | null): User | UserChange => {
  if (user === undefined) return 'missing'
  if (user.disabled) return 'disabled'
  return toCredentialVersion(user) === credentialVersion ? user : 'other-version'
}

/** Returns why a session ends after a change of its user. */
export const toEndReason = (change: UserChange) =>
  change === 'other-version' ? 'credentials_changed' : 'user_unavailable'

/**
 * Returns whether a value is an element of {@link SessionRecord.recentVerifiers}. For adapters that
 * store the list as JSON.
 */
export const isRecentVerifier = (value: unknown): value is RecentVerifier =>
  typeof getMember(value, 'verifierHash') === 'string' &&
  typeof getMember(value, 'salt') === 'string' &&
  typeof getMember(value, 'replacedAt') === 'number'
