import type { UserKey } from '@jwt-auth/core'
import { readJson } from './read-json.js'
import { unreadable } from './unreadable.js'

/** What the indexes hold of a session. */
export interface IndexedSession extends UserKey {
  readonly id: string
  readonly selectorHash: string
}

/** The names of the keys. None has a hash tag of its own, so that a cluster spreads the sessions over its slots. */
export interface SessionKeys {
  /** The session itself, a hash. */
  readonly session: (id: string) => string
  /** The session id of a selector hash. */
  readonly selector: (selectorHash: string) => string
  /** The ids of a user's sessions that have not ended, by `createdAt`. */
  readonly user: (user: UserKey) => string
  /** Sessions by the time from which they may be over; one of {@link expiryKeys}. */
  readonly expiry: (id: string) => string
  readonly expiryKeys: readonly string[]
  /** The ids of an issuer's sessions that have not ended, by `createdAt`; one of {@link createdKeys}. */
  readonly created: (session: Pick<IndexedSession, 'id' | 'issuer'>) => string
  readonly createdKeys: (issuer: string) => readonly string[]
  /** The ids of sessions that may have recent verifiers, by `rotatedAt`; one of {@link recentKeys}. */
  readonly recent: (id: string) => string
  readonly recentKeys: readonly string[]
  /** The versions of the schema, a hash. */
  readonly schema: string
}

// So many keys share an index, on the nodes of a cluster.
const keyCount = 16

/** Names keys under a prefix. */
export const createSessionKeys = (prefix: string): SessionKeys => {
  const numbers = Array.from({ length: keyCount }, (_, number) => number)
  const numberOf = (id: string): number => sumLetters(id) % keyCount
  return {
    session: (id) => `${prefix}session:${id}`,
    selector: (selectorHash) => `${prefix}selector:${selectorHash}`,
    user: (user) => `${prefix}user:${toUserText(user)}`,
    expiry: (id) => `${prefix}expiry:${numberOf(id)}`,
    expiryKeys: numbers.map((number) => `${prefix}expiry:${number}`),
    created: ({ id, issuer }) => `${prefix}created:${numberOf(id)}:${issuer}`,
    createdKeys: (issuer) => numbers.map((number) => `${prefix}created:${number}:${issuer}`),
    recent: (id) => `${prefix}recent:${numberOf(id)}`,
    recentKeys: numbers.map((number) => `${prefix}recent:${number}`),
    schema: `${prefix}schema`,
  }
}

const sumLetters = (text: string): number =>
  text.split('').reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 0)

/** The text of a user: JSON, which keeps the ids `1` and `'1'` apart. */
export const toUserText = ({ issuer, userId }: UserKey): string => JSON.stringify([issuer, userId])

/** Reads the text of a user. Throws a `TypeError` for text that this adapter did not write. */
export const readUserText = (text: string): UserKey => toUserKey(readJson(text, userPlace), userPlace)

/** The member of an expiry key, which holds enough to clean the other indexes if the session is gone. */
export const toExpiryMember = ({ id, selectorHash, issuer, userId }: IndexedSession): string =>
  JSON.stringify([id, selectorHash, [issuer, userId]])

/** Throws a `TypeError` for a member that this adapter did not write. */
export const readOverMember = (member: string): IndexedSession => {
  const parts = readJson(member, memberPlace)
  const [id, selectorHash, user]: readonly unknown[] = Array.isArray(parts) ? parts : []
  if (typeof id !== 'string' || typeof selectorHash !== 'string')
    throw unreadable(`${memberPlace} holds an unknown value`)
  return { id, selectorHash, ...toUserKey(user, memberPlace) }
}

const userPlace = 'the field user'
const memberPlace = 'the member of an expiry key'

const toUserKey = (value: unknown, place: string): UserKey => {
  const [issuer, userId]: readonly unknown[] = Array.isArray(value) ? value : []
  if (typeof issuer === 'string' && (typeof userId === 'string' || typeof userId === 'number')) {
    return { issuer, userId }
  }
  throw unreadable(`${place} holds an unknown value`)
}
