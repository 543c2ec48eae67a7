import type { RecentVerifier, SessionRecord, UserId } from '@jwt-auth/core'
import type { Row } from './dialect.js'
import { readJson } from './read-json.js'
import { unreadable } from './unreadable.js'

/** The table's columns, in the order in which a record is written. */
export const columns = [
  'id',
  'issuer',
  'user_id',
  'selector_hash',
  'verifier_hash',
  'recent_verifiers',
  'created_at',
  'rotated_at',
  'last_used_at',
  'idle_expires_at',
  'absolute_expires_at',
  'ended_at',
  'end_reason',
  'credential_version',
  'user_agent',
  'ip_address',
  'last_user_agent',
  'last_ip_address',
  'label',
] as const

type Value = string | number | null

/** A record as values for {@link columns}. */
export const toValues = (session: SessionRecord): readonly Value[] => [
  session.id,
  session.issuer,
  toUserKey(session.userId),
  session.selectorHash,
  session.verifierHash,
  toRecentText(session.recentVerifiers),
  session.createdAt,
  session.rotatedAt,
  session.lastUsedAt,
  session.idleExpiresAt,
  session.absoluteExpiresAt,
  session.endedAt,
  session.endReason,
  session.credentialVersion,
  session.userAgent,
  session.ipAddress,
  session.lastUserAgent,
  session.lastIpAddress,
  session.label,
]

/** The earliest of a session's ends: from then on it is over. */
export const expiresAt = ({ endedAt, idleExpiresAt, absoluteExpiresAt }: SessionRecord): number =>
  Math.min(endedAt ?? Number.POSITIVE_INFINITY, idleExpiresAt, absoluteExpiresAt)

/** When the recent verifiers were written last; `null` if there are none to clear. */
export const clearableAt = ({
  recentVerifiers,
  rotatedAt,
}: Pick<SessionRecord, 'recentVerifiers' | 'rotatedAt'>): number | null =>
  recentVerifiers.length > 0 ? rotatedAt : null

/** JSON keeps `1` and `"1"` apart, and an integer readable: `where user_id = '1'`. */
export const toUserKey = (userId: UserId): string => JSON.stringify(userId)

/** The recent verifiers as they are stored. */
export const toRecentText = (recent: readonly RecentVerifier[]): string => JSON.stringify(recent)

/** Reads a row back. Throws when the table holds what this version did not write. */
export const readSession = (row: Row): SessionRecord => ({
  id: readText(row, 'id'),
  issuer: readText(row, 'issuer'),
  userId: readUserKey(readText(row, 'user_id')),
  selectorHash: readText(row, 'selector_hash'),
  verifierHash: readText(row, 'verifier_hash'),
  recentVerifiers: readRecent(readText(row, 'recent_verifiers')),
  createdAt: readInstant(row, 'created_at'),
  rotatedAt: readInstant(row, 'rotated_at'),
  lastUsedAt: readInstant(row, 'last_used_at'),
  idleExpiresAt: readInstant(row, 'idle_expires_at'),
  absoluteExpiresAt: readInstant(row, 'absolute_expires_at'),
  endedAt: row['ended_at'] === null ? null : readInstant(row, 'ended_at'),
  endReason: readOptionalText(row, 'end_reason'),
  credentialVersion: readOptionalText(row, 'credential_version'),
  userAgent: readOptionalText(row, 'user_agent'),
  ipAddress: readOptionalText(row, 'ip_address'),
  lastUserAgent: readOptionalText(row, 'last_user_agent'),
  lastIpAddress: readOptionalText(row, 'last_ip_address'),
  label: readOptionalText(row, 'label'),
})

/** Reads an instant. PostgreSQL's driver gives `bigint` as text. */
export const readInstant = (row: Row, column: (typeof columns)[number]): number => {
  const instant = Number(row[column] ?? Number.NaN)
  if (Number.isSafeInteger(instant)) return instant
  throw unknownValue(column)
}

/** Reads text that is never null. */
export const readText = (row: Row, column: (typeof columns)[number]): string => {
  const text = row[column]
  if (typeof text === 'string') return text
  throw unknownValue(column)
}

const readOptionalText = (row: Row, column: (typeof columns)[number]): string | null =>
  row[column] === null ? null : readText(row, column)

const readUserKey = (key: string): UserId => {
  const userId = readJson(key, 'user_id')
  if (typeof userId === 'number' || typeof userId === 'string') return userId
  throw unknownValue('user_id')
}

const readRecent = (text: string): readonly RecentVerifier[] => {
  const recent = readJson(text, 'recent_verifiers')
  if (Array.isArray(recent)) return recent
  throw unknownValue('recent_verifiers')
}

const unknownValue = (column: string): TypeError => unreadable(`the column ${column} holds an unknown value`)
