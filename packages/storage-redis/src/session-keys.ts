import type { UserRef } from '@jwt-auth/core/adapter'
import type { ScriptRunner } from './script-runner.js'
import { type IndexedSession, toUserText } from './session-fields.js'

// Each index has this many keys, which a cluster spreads over its nodes.
const keyCount = 16

/**
 * Creates the names of the keys with a prefix. No name has a hash tag of its own, so a cluster
 * spreads the sessions over its slots.
 */
export const createSessionKeys = (prefix: string) => {
  const numbers = Array.from({ length: keyCount }, (_, number) => number)
  const toNumber = (id: string): number => sumLetters(id) % keyCount
  return {
    /** The key of a session, a hash. */
    session: (id: string) => `${prefix}session:${id}`,
    /** The key with the session id of a selector hash. */
    selector: (selectorHash: string) => `${prefix}selector:${selectorHash}`,
    /** The key with the ids of a user's sessions that have not ended, by `createdAt`. */
    user: (user: UserRef) => `${prefix}user:${toUserText(user)}`,
    /** The key with the ids of a user's ended sessions, by `endedAt`. */
    ended: (user: UserRef) => `${prefix}ended:${toUserText(user)}`,
    /**
     * The key of the part of the `expiry:` index that contains this session. The index sorts
     * sessions by the earliest instant at which they may have ended or expired.
     */
    expiry: (id: string) => `${prefix}expiry:${toNumber(id)}`,
    /** All keys of this index. */
    expiryKeys: numbers.map((number) => `${prefix}expiry:${number}`),
    /**
     * The key of the part of an issuer's `created:` index that contains this session. The index
     * sorts sessions that have not ended by `createdAt`.
     */
    created: ({ id, issuer }: Pick<IndexedSession, 'id' | 'issuer'>) => `${prefix}created:${toNumber(id)}:${issuer}`,
    /** All keys of this index for an issuer. */
    createdKeys: (issuer: string) => numbers.map((number) => `${prefix}created:${number}:${issuer}`),
    /** The key with the versions of the schema, a hash. */
    schema: `${prefix}schema`,
  }
}

/** What an operation on sessions uses: its scripts, and the names of the keys. */
export interface SessionStore extends ReturnType<ScriptRunner> {
  readonly keys: ReturnType<typeof createSessionKeys>
  /** Whether all keys are on one server. */
  readonly isOneServer: boolean
}

const sumLetters = (text: string): number =>
  text.split('').reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 65_521, 0)
