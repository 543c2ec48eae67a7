import type { UserId } from '@jwt-auth/core'
import { readJson } from './read-json.js'

/** What the indexes know of a session. */
export interface IndexedSession {
  readonly id: string
  readonly selectorHash: string
  readonly userId: UserId
}

/** The names of the keys. None has a hash tag of its own, so that a cluster spreads the sessions over its slots. */
export interface SessionKeys {
  /** The session itself, a hash. */
  readonly session: (id: string) => string
  /** The session id of a selector hash. */
  readonly selector: (selectorHash: string) => string
  /** The ids of a user's sessions, by absolute expiry. */
  readonly user: (userId: UserId) => string
  /** Sessions by the time from which they may be over; one of {@link overKeys}. */
  readonly over: (id: string) => string
  readonly overKeys: readonly string[]
}

const overKeyCount = 16

/** Names keys under a prefix. */
export const createSessionKeys = (prefix: string): SessionKeys => {
  const overKeys = Array.from({ length: overKeyCount }, (_, number) => `${prefix}over:${number}`)
  return {
    session: (id) => `${prefix}session:${id}`,
    selector: (selectorHash) => `${prefix}selector:${selectorHash}`,
    user: (userId) => `${prefix}user:${JSON.stringify(userId)}`,
    over: (id) => `${prefix}over:${sumLetters(id) % overKeyCount}`,
    overKeys,
  }
}

const sumLetters = (text: string): number =>
  text.split('').reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 0)

/** The member of an over key, which holds enough to clean the other indexes where the session is gone. */
export const toOverMember = ({ id, selectorHash, userId }: IndexedSession): string =>
  JSON.stringify([id, selectorHash, userId])

/** Throws a `TypeError` for a member that this adapter did not write. */
export const readOverMember = (member: string): IndexedSession => {
  const parts = readJson(member)
  const [id, selectorHash, userId]: readonly unknown[] = Array.isArray(parts) ? parts : []
  if (typeof id !== 'string' || typeof selectorHash !== 'string') throw new TypeError('Not a session of an over key.')
  return { id, selectorHash, userId: toUserId(userId) }
}

/** Reads the JSON text of a user id. */
export const readUserId = (text: string): UserId => toUserId(readJson(text))

const toUserId = (value: unknown): UserId => {
  if (typeof value === 'string' || typeof value === 'number') return value
  throw new TypeError('Not a user id.')
}
