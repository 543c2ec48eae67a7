import type { UserId } from '@jwt-auth/core'
import { type FoundSession, isRecentVerifier, type RecentVerifier, type SessionRecord } from '@jwt-auth/core/adapter'
import { toEndOrExpiry } from '@jwt-auth/core/internal'
import type { Row, SqlValue } from './sql-executor.js'
import { unreadableError } from './storage-error.js'

// The columns of a session record, and their values.
const readers = {
  id: ({ id }) => id,
  issuer: ({ issuer }) => issuer,
  user_id: ({ userId }) => toUserIdText(userId),
  selector_hash: ({ selectorHash }) => selectorHash,
  verifier_hash: ({ verifierHash }) => verifierHash,
  recent_verifiers: ({ recentVerifiers }) => toRecentText(recentVerifiers),
  created_at: ({ createdAt }) => createdAt,
  rotated_at: ({ rotatedAt }) => rotatedAt,
  last_used_at: ({ lastUsedAt }) => lastUsedAt,
  idle_expires_at: ({ idleExpiresAt }) => idleExpiresAt,
  absolute_expires_at: ({ absoluteExpiresAt }) => absoluteExpiresAt,
  ended_at: ({ endedAt }) => endedAt,
  end_reason: ({ endReason }) => endReason,
  credential_version: ({ credentialVersion }) => credentialVersion,
  dpop_thumbprint: ({ dpopThumbprint }) => dpopThumbprint,
  user_agent: ({ userAgent }) => userAgent,
  ip_address: ({ ipAddress }) => ipAddress,
  last_user_agent: ({ lastUserAgent }) => lastUserAgent,
  last_ip_address: ({ lastIpAddress }) => lastIpAddress,
  label: ({ label }) => label,
  attributes: ({ attributes }) => attributes,
} as const satisfies Readonly<Record<string, (session: SessionRecord) => SqlValue>>

type Column = keyof typeof readers

/** The columns of a session record, in the order of {@link toValues}. */
export const columns = Object.keys(readers)

/** Converts a record to the values of {@link columns}. */
export const toValues = (session: SessionRecord): readonly SqlValue[] =>
  Object.values(readers).map((read) => read(session))

const dayMs = 86_400_000

/**
 * Returns the end of the day (UTC) of an idle expiry. The column `purgeable_at` holds this instant,
 * because a rotation then changes the column once a day at most. PostgreSQL updates a row in place
 * if no indexed column changes.
 */
export const toEndOfDay = (idleExpiresAt: number): number => Math.ceil(idleExpiresAt / dayMs) * dayMs

/** Returns the value of the column `purgeable_at`. */
export const toPurgeableAt = (session: SessionRecord): number =>
  toEndOrExpiry({ ...session, idleExpiresAt: toEndOfDay(session.idleExpiresAt) })

/**
 * Returns the value of the column `user_id`. JSON distinguishes `1` from `"1"`, and integers stay
 * readable in SQL.
 */
export const toUserIdText = (userId: UserId): string => JSON.stringify(userId)

/** Returns the value of the column `recent_verifiers`. */
export const toRecentText = (recent: readonly RecentVerifier[]): string => JSON.stringify(recent)

/**
 * Parses a row. The session is unreadable when a value is not one that this adapter writes. The
 * error names the column.
 */
export const parseSession = (row: Row): FoundSession => {
  try {
    return parseColumns(row)
  } catch (error) {
    return { id: parseText(row, 'id'), error }
  }
}

const parseColumns = (row: Row): SessionRecord => ({
  id: parseText(row, 'id'),
  issuer: parseText(row, 'issuer'),
  userId: parseUserId(parseText(row, 'user_id')),
  selectorHash: parseText(row, 'selector_hash'),
  verifierHash: parseText(row, 'verifier_hash'),
  recentVerifiers: parseRecent(parseText(row, 'recent_verifiers')),
  createdAt: parseInstant(row, 'created_at'),
  rotatedAt: parseInstant(row, 'rotated_at'),
  lastUsedAt: parseInstant(row, 'last_used_at'),
  idleExpiresAt: parseInstant(row, 'idle_expires_at'),
  absoluteExpiresAt: parseInstant(row, 'absolute_expires_at'),
  endedAt: row['ended_at'] === null ? null : parseInstant(row, 'ended_at'),
  endReason: parseOptionalText(row, 'end_reason'),
  credentialVersion: parseOptionalText(row, 'credential_version'),
  dpopThumbprint: parseOptionalText(row, 'dpop_thumbprint'),
  userAgent: parseOptionalText(row, 'user_agent'),
  ipAddress: parseOptionalText(row, 'ip_address'),
  lastUserAgent: parseOptionalText(row, 'last_user_agent'),
  lastIpAddress: parseOptionalText(row, 'last_ip_address'),
  label: parseOptionalText(row, 'label'),
  attributes: parseOptionalText(row, 'attributes'),
})

/** Parses an instant. The driver of PostgreSQL returns `bigint` as text. */
export const parseInstant = (row: Row, column: Column): number => {
  const instant = Number(row[column] ?? Number.NaN)
  if (Number.isSafeInteger(instant)) return instant
  throw unknownValue(column)
}

/** Parses text that is never null. */
export const parseText = (row: Row, column: Column): string => {
  const text = row[column]
  if (typeof text === 'string') return text
  throw unknownValue(column)
}

const parseOptionalText = (row: Row, column: Column): string | null =>
  row[column] === null ? null : parseText(row, column)

const parseUserId = (text: string): UserId => {
  const userId = parseJson(text, 'user_id')
  if (typeof userId === 'number' || typeof userId === 'string') return userId
  throw unknownValue('user_id')
}

const parseRecent = (text: string): readonly RecentVerifier[] => {
  const recent = parseJson(text, 'recent_verifiers')
  if (Array.isArray(recent) && recent.every(isRecentVerifier)) return recent
  throw unknownValue('recent_verifiers')
}

// The error of `JSON.parse` would repeat the text.
const parseJson = (text: string, column: Column): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadableError(`the column ${column} holds no valid JSON`)
  }
}

const unknownValue = (column: Column): TypeError => unreadableError(`the column ${column} holds an unknown value`)
