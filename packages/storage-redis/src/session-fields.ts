import {
  isRecentVerifier,
  type RecentVerifier,
  type Rotation,
  type SessionRecord,
  type UserRef,
} from '@jwt-auth/core/adapter'
import { unreadableError } from './storage-error.js'

/** Converts a record to the fields and values of a hash, alternately. */
export const toFields = ({ issuer, userId, ...fields }: SessionRecord): readonly string[] =>
  toPairs({ user: toUserText({ issuer, userId }), ...fields })

/** Converts a rotation to the fields and values that it writes, alternately. */
export const toRotatedFields = ({ id: _, expectedVerifierHash: __, ...fields }: Rotation): readonly string[] =>
  toPairs(fields)

// A null field is absent, except for the thumbprint and the attributes: a session that lost one of
// them may have been restricted, and is unreadable.
const restricting = ['dpopThumbprint', 'attributes']

const toPairs = (fields: object): readonly string[] =>
  Object.entries(fields).flatMap(([name, value]: readonly [string, unknown]) => {
    if (value === null) return restricting.includes(name) ? [name, ''] : []
    return [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]
  })

/**
 * The fields of a stored session by their names. A value may be one that this adapter does not
 * write.
 */
export type StoredFields = ReadonlyMap<string, string>

/**
 * Converts the fields and values of a hash. Returns `undefined` for an absent or deleted session.
 */
export const toStoredFields = (reply: readonly string[]): StoredFields | undefined => {
  const fields = new Map<string, string>()
  for (let index = 0; index + 1 < reply.length; index += 2) fields.set(reply[index] ?? '', reply[index + 1] ?? '')
  return fields.size === 0 || fields.has('deleted') ? undefined : fields
}

/**
 * Parses the fields of a session. Throws a `TypeError` that names the field when a field is missing
 * or has a value that this adapter does not write.
 */
export const parseSession = (values: StoredFields): SessionRecord => {
  const parseText = (name: string): string => {
    const value = values.get(name)
    if (value === undefined) throw unreadableError(`the field ${name} is missing`)
    return value
  }
  const parseField = (name: string): number => parseInstant(parseText(name), name)
  const toTextOrNull = (name: string): string | null => values.get(name) ?? null
  return {
    id: parseText('id'),
    ...parseUserText(parseText('user')),
    selectorHash: parseText('selectorHash'),
    verifierHash: parseText('verifierHash'),
    recentVerifiers: parseRecentVerifiers(parseText('recentVerifiers')),
    createdAt: parseField('createdAt'),
    rotatedAt: parseField('rotatedAt'),
    lastUsedAt: parseField('lastUsedAt'),
    idleExpiresAt: parseField('idleExpiresAt'),
    absoluteExpiresAt: parseField('absoluteExpiresAt'),
    endedAt: values.has('endedAt') ? parseField('endedAt') : null,
    endReason: toTextOrNull('endReason'),
    credentialVersion: toTextOrNull('credentialVersion'),
    dpopThumbprint: parseText('dpopThumbprint') || null,
    userAgent: toTextOrNull('userAgent'),
    ipAddress: toTextOrNull('ipAddress'),
    lastUserAgent: toTextOrNull('lastUserAgent'),
    lastIpAddress: toTextOrNull('lastIpAddress'),
    label: toTextOrNull('label'),
    attributes: parseText('attributes') || null,
  }
}

/** Parses the decimal text of an instant in a field. */
export const parseInstant = (text: string, field: string): number => {
  const instant = Number(text)
  if (text === '' || !Number.isSafeInteger(instant)) throw unreadableError(`the field ${field} holds no whole number`)
  return instant
}

/** Returns the instant in a field, or `undefined` if the field is missing or unreadable. */
export const findInstant = (fields: StoredFields, name: string): number | undefined => {
  const instant = Number(fields.get(name) || Number.NaN)
  return Number.isSafeInteger(instant) ? instant : undefined
}

/** Returns the user of a session, or `undefined` if the field is missing or unreadable. */
export const findUser = (fields: StoredFields): UserRef | undefined => findUserInText(fields.get('user') ?? '')

const parseRecentVerifiers = (text: string): readonly RecentVerifier[] => {
  const list = parseJson(text, 'the field recentVerifiers')
  if (Array.isArray(list) && list.every(isRecentVerifier)) return list
  throw unreadableError('the field recentVerifiers holds an unknown value')
}

/** Converts a user to text. JSON distinguishes the ids `1` and `'1'`. */
export const toUserText = ({ issuer, userId }: UserRef): string => JSON.stringify([issuer, userId])

/** Parses the text of a user. Throws a `TypeError` for text that this adapter does not write. */
export const parseUserText = (text: string): UserRef => parseUser(parseJson(text, userPlace), userPlace)

/** Parses the text of a user, and returns `undefined` for text that this adapter does not write. */
export const findUserInText = (text: string): UserRef | undefined => {
  try {
    return parseUserText(text)
  } catch {
    return undefined
  }
}

/** The part of a `SessionRecord` that the indexes hold. */
export interface IndexedSession extends UserRef {
  readonly id: string
  readonly selectorHash: string
}

/**
 * Converts a session to a member of an expiry key. The member is enough to clean the other indexes
 * when the session is gone.
 */
export const toExpiryMember = ({ id, selectorHash, issuer, userId }: IndexedSession): string =>
  JSON.stringify([id, selectorHash, [issuer, userId]])

/**
 * Parses a member of an expiry key. Throws a `TypeError` for a member that this adapter does not
 * write.
 */
export const parseExpiryMember = (member: string): IndexedSession => {
  const parts = parseJson(member, memberPlace)
  const [id, selectorHash, user]: readonly unknown[] = Array.isArray(parts) ? parts : []
  if (typeof id !== 'string' || typeof selectorHash !== 'string') {
    throw unreadableError(`${memberPlace} holds an unknown value`)
  }
  return { id, selectorHash, ...parseUser(user, memberPlace) }
}

const userPlace = 'the field user'
const memberPlace = 'the member of an expiry key'

const parseUser = (value: unknown, place: string): UserRef => {
  const [issuer, userId]: readonly unknown[] = Array.isArray(value) ? value : []
  if (typeof issuer === 'string' && (typeof userId === 'string' || typeof userId === 'number')) {
    return { issuer, userId }
  }
  throw unreadableError(`${place} holds an unknown value`)
}

// The error of `JSON.parse` would repeat the text.
const parseJson = (text: string, place: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw unreadableError(`${place} holds no valid JSON`)
  }
}
