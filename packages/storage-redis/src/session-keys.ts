import type { UserRef } from '@jwt-auth/core'
import { type IndexedSession, toUserText } from './session-fields.js'

/**
 * The names of the keys. No name has a hash tag of its own, so a cluster spreads the sessions over
 * its slots.
 */
export interface SessionKeys {
  /** The key of a session, a hash. */
  readonly session: (id: string) => string
  /** The key with the session id of a selector hash. */
  readonly selector: (selectorHash: string) => string
  /** The key with the ids of a user's sessions that have not ended, by `createdAt`. */
  readonly user: (user: UserRef) => string
  /** The key with the ids of a user's ended sessions, by `endedAt`. */
  readonly ended: (user: UserRef) => string
  /**
   * The key of the part of the `expiry:` index that contains this session. The index sorts sessions
   * by the earliest instant at which they may have ended or expired. One of `expiryKeys`.
   */
  readonly expiry: (id: string) => string
  /** All keys of this index. */
  readonly expiryKeys: readonly string[]
  /**
   * The key of the part of an issuer's `created:` index that contains this session. The index sorts
   * sessions that have not ended by `createdAt`. One of `createdKeys`.
   */
  readonly created: (session: Pick<IndexedSession, 'id' | 'issuer'>) => string
  /** All keys of this index for an issuer. */
  readonly createdKeys: (issuer: string) => readonly string[]
  /**
   * The key of the part of the `recent:` index that contains this session. The index sorts sessions
   * that may have recent verifiers by `rotatedAt`. One of `recentKeys`.
   */
  readonly recent: (id: string) => string
  /** All keys of this index. */
  readonly recentKeys: readonly string[]
  /** The key with the versions of the schema, a hash. */
  readonly schema: string
}

// Each index has this many keys, which a cluster spreads over its nodes.
const keyCount = 16

/** Creates the names of the keys with a prefix. */
export const createSessionKeys = (prefix: string): SessionKeys => {
  const numbers = Array.from({ length: keyCount }, (_, number) => number)
  const toNumber = (id: string): number => sumLetters(id) % keyCount
  return {
    session: (id) => `${prefix}session:${id}`,
    selector: (selectorHash) => `${prefix}selector:${selectorHash}`,
    user: (user) => `${prefix}user:${toUserText(user)}`,
    ended: (user) => `${prefix}ended:${toUserText(user)}`,
    expiry: (id) => `${prefix}expiry:${toNumber(id)}`,
    expiryKeys: numbers.map((number) => `${prefix}expiry:${number}`),
    created: ({ id, issuer }) => `${prefix}created:${toNumber(id)}:${issuer}`,
    createdKeys: (issuer) => numbers.map((number) => `${prefix}created:${number}:${issuer}`),
    recent: (id) => `${prefix}recent:${toNumber(id)}`,
    recentKeys: numbers.map((number) => `${prefix}recent:${number}`),
    schema: `${prefix}schema`,
  }
}

const sumLetters = (text: string): number =>
  text.split('').reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 0)
