import type { RecentVerifier, Rotation, SessionRecord } from '@jwt-auth/core'
import { readJson } from './read-json.js'
import { readUserText, toUserText } from './session-keys.js'
import { unreadable } from './unreadable.js'

/** A session as the fields and values of a hash, in turn; a null field is absent. */
export const toFields = ({ issuer, userId, recentVerifiers, ...fields }: SessionRecord): readonly string[] => [
  'user',
  toUserText({ issuer, userId }),
  'recentVerifiers',
  JSON.stringify(recentVerifiers),
  ...Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [name, String(value)])),
]

/** The fields and values that a rotation writes, in turn. */
export const toRotatedFields = (rotation: Rotation): readonly string[] => [
  'verifierHash',
  rotation.verifierHash,
  'recentVerifiers',
  JSON.stringify(rotation.recentVerifiers),
  'rotatedAt',
  String(rotation.rotatedAt),
  'lastUsedAt',
  String(rotation.lastUsedAt),
  'idleExpiresAt',
  String(rotation.idleExpiresAt),
  ...(rotation.lastUserAgent === null ? [] : ['lastUserAgent', rotation.lastUserAgent]),
  ...(rotation.lastIpAddress === null ? [] : ['lastIpAddress', rotation.lastIpAddress]),
]

/** Reads fields and values in turn. `undefined` for no session; throws a `TypeError` for half of one. */
export const readSession = (fields: readonly string[]): SessionRecord | undefined => {
  const values = toMap(fields)
  if (values.size === 0 || values.has('deleted')) return undefined
  const readText = (name: string): string => {
    const value = values.get(name)
    if (value === undefined) throw unreadable(`the field ${name} is missing`)
    return value
  }
  const readInstant = (name: string): number => readTime(readText(name), name)
  const readTextOrNull = (name: string): string | null => values.get(name) ?? null
  return {
    id: readText('id'),
    ...readUserText(readText('user')),
    selectorHash: readText('selectorHash'),
    verifierHash: readText('verifierHash'),
    recentVerifiers: readRecentVerifiers(readText('recentVerifiers')),
    createdAt: readInstant('createdAt'),
    rotatedAt: readInstant('rotatedAt'),
    lastUsedAt: readInstant('lastUsedAt'),
    idleExpiresAt: readInstant('idleExpiresAt'),
    absoluteExpiresAt: readInstant('absoluteExpiresAt'),
    endedAt: values.has('endedAt') ? readInstant('endedAt') : null,
    endReason: readTextOrNull('endReason'),
    credentialVersion: readTextOrNull('credentialVersion'),
    userAgent: readTextOrNull('userAgent'),
    ipAddress: readTextOrNull('ipAddress'),
    lastUserAgent: readTextOrNull('lastUserAgent'),
    lastIpAddress: readTextOrNull('lastIpAddress'),
    label: readTextOrNull('label'),
  }
}

/** Reads the time of a field from its decimal text. */
export const readTime = (text: string, field: string): number => {
  const time = Number(text)
  if (text === '' || !Number.isSafeInteger(time)) throw unreadable(`the field ${field} holds no whole number`)
  return time
}

const toMap = (fields: readonly string[]): ReadonlyMap<string, string> => {
  const values = new Map<string, string>()
  for (let place = 0; place + 1 < fields.length; place += 2) values.set(fields[place] ?? '', fields[place + 1] ?? '')
  return values
}

const readRecentVerifiers = (text: string): readonly RecentVerifier[] => {
  const list = readJson(text, 'the field recentVerifiers')
  if (Array.isArray(list) && list.every(isRecentVerifier)) return list
  throw unreadable('the field recentVerifiers holds an unknown value')
}

const isRecentVerifier = (item: unknown): item is RecentVerifier =>
  typeof item === 'object' &&
  item !== null &&
  'verifierHash' in item &&
  typeof item.verifierHash === 'string' &&
  'salt' in item &&
  typeof item.salt === 'string' &&
  'replacedAt' in item &&
  typeof item.replacedAt === 'number'
