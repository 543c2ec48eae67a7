import { createHash } from 'node:crypto'
import type { CallOptions, SessionStorage } from '@jwt-auth/core'
import type { EndOutcome, FoundSession, SessionEnd, UserRef } from '@jwt-auth/core/adapter'
import type { Key, RangeOptions } from 'lmdb'
import { divide, parseLogin, parseState, type State } from './session-rows.js'
import { type LmdbDatabase, read, write } from './transactions.js'

/** How a method that changes many sessions finds and changes them. */
interface Change {
  /** The index entries of the sessions, in the order in which they are changed. */
  readonly range: RangeOptions
  /** The most sessions to change. @default no limit */
  readonly limit?: number
  /** Which of the found sessions to change. @default all */
  readonly applies?: (state: State) => boolean
  /** Returns the next state, or `undefined` to delete the session. */
  readonly toNext: (state: State) => State | undefined
}

/**
 * Creates session storage in LMDB, which several processes of one machine may share.
 *
 * @param db a database of the package `lmdb` with the encoding `string`. The adapter opens and closes nothing.
 *
 * @example
 * ```ts
 * const db = open({ path: 'sessions', encoding: 'string' })
 * const auth = jwtAuth({ secret, issuer, users, storage: lmdbStorage(db) })
 * ```
 */
export const lmdbStorage = (db: LmdbDatabase): SessionStorage => {
  const findState = (id: string): State | undefined => {
    const row = db.get(['state', id])
    return row === undefined ? undefined : parseState(row)
  }

  // Records are copied: each call parses new objects. An unreadable session is an element with its error, and is never omitted.
  const findSession = (id: string): FoundSession | undefined => {
    const [state, login] = [db.get(['state', id]), db.get(['login', id])]
    if (state === undefined) return undefined
    try {
      return { ...parseState(state), ...parseLogin(login ?? '') }
    } catch (error) {
      return { id, error }
    }
  }

  const findIds = (range: RangeOptions): Iterable<string> => db.getRange(range).map(({ value }) => value)

  /** Writes a state and its index entries. Every change of a state comes through here, so that no index misses it. */
  const replaceState = (id: string, before: State | undefined, after: State | undefined): void => {
    for (const key of before ? toIndexKeys(before) : []) db.removeSync(key)
    for (const key of after ? toIndexKeys(after) : []) db.putSync(key, id)
    if (after !== undefined) db.putSync(['state', id], JSON.stringify(after))
    else for (const row of ['state', 'login']) db.removeSync([row, id])
  }

  /** Changes many sessions. An unreadable state does not prevent the other changes: they are made before the call rejects. */
  const changeEach = async (options: CallOptions | undefined, change: Change): Promise<number> => {
    const { range, limit = Number.POSITIVE_INFINITY, applies = () => true, toNext } = change
    const failures: unknown[] = []
    const count = await write(db, options, () => {
      // Searched within the transaction: no other call writes between the search and the change.
      const found: State[] = []
      for (const id of findIds(range)) {
        if (found.length === limit) break
        try {
          const state = findState(id)
          if (state && applies(state)) found.push(state)
        } catch (error) {
          failures.push(error)
        }
      }
      for (const state of found) replaceState(state.id, state, toNext(state))
      return found.length
    })
    if (failures.length > 0) throw failures[0]
    return count
  }

  const listOne = (id: string): FoundSession =>
    findSession(id) ?? { id, error: new Error('lmdbStorage could not list a session: its row is missing.') }

  return {
    // A lookup reads the memory of this process. A batch would only delay it.
    batchLookups: false,

    create: (session, options) =>
      // The whole session or nothing: if an action throws, its transaction writes nothing.
      write(db, options, () => {
        const { id, selectorHash } = session
        const taken = [db.get(['state', id]), db.get(['selector', selectorHash])]
        if (taken.some((row) => row !== undefined)) throw takenError()
        const { state, login } = divide(session)
        db.putSync(['login', id], JSON.stringify(login))
        replaceState(id, undefined, state)
      }),

    findByIds: (ids, options) => read(db, options, () => ids.flatMap((id) => findSession(id) ?? [])),

    findBySelectorHash: (selectorHash, options) =>
      read(db, options, () => {
        const id = db.get(['selector', selectorHash])
        return id === undefined ? undefined : findSession(id)
      }),

    rotate: ({ expectedVerifierHash, ...next }, options) =>
      // Compare-and-swap: no other call writes between the comparison and the write.
      write(db, options, () => {
        const state = findState(next.id)
        if (state?.verifierHash !== expectedVerifierHash || state.endedAt !== null) return 'stale'
        replaceState(next.id, state, { ...state, ...next })
        return 'rotated'
      }),

    end: (ending, options) =>
      write(db, options, (): EndOutcome => {
        const state = findState(ending.id)
        if (state === undefined) return { outcome: 'not-found' }
        // Nothing overwrites an end.
        const { endedAt, endReason } = state
        if (endedAt !== null) return { outcome: 'already-ended', endedAt, endReason: endReason ?? '' }
        replaceState(state.id, state, toEnded(state, ending))
        return { outcome: 'ended' }
      }),

    endAllForUser: (ending, options) =>
      changeEach(options, {
        range: rangeOf(['active', toUserHash(ending)]),
        toNext: (state) => toEnded(state, ending),
      }),

    list: ({ activeAt, limit, ...user }, options) =>
      read(db, options, () => {
        const listed: FoundSession[] = []
        // Sessions that have not ended have an index of their own: a login that lists them does not pay for the ended ones.
        for (const index of activeAt === undefined ? ['active', 'ended'] : ['active']) {
          for (const id of findIds(newestFirst([index, toUserHash(user)]))) {
            if (listed.length === limit) return listed
            const session = listOne(id)
            if ('error' in session || activeAt === undefined || activeAt < toExpiry(session)) listed.push(session)
          }
        }
        return listed
      }),

    endCreatedBefore: ({ issuer, createdBefore, limit, ...ending }, options) =>
      changeEach(options, {
        range: { ...rangeOf(['issuer', toHash([issuer])]), end: ['issuer', toHash([issuer]), createdBefore] },
        limit,
        applies: (state) => ending.endedAt < toExpiry(state),
        toNext: (state) => toEnded(state, ending),
      }),

    deleteExpired: ({ before, limit }, options) =>
      changeEach(options, { range: upTo('expiry', before), limit, toNext: () => undefined }),
  }
}

/** Returns the state after an end, which empties the list of recent verifiers. */
const toEnded = (state: State, { endedAt, endReason }: SessionEnd): State => ({
  ...state,
  endedAt,
  endReason,
  recentVerifiers: [],
})

/** Returns the keys of the index entries of a state. The value of each entry is the id of the session. */
const toIndexKeys = (state: State): readonly Key[][] => {
  const { id, issuer, selectorHash, createdAt, endedAt } = state
  const whileActive = [
    ['active', toUserHash(state), createdAt, id],
    ['issuer', toHash([issuer]), createdAt, id],
  ]
  return [
    ['selector', selectorHash],
    ...(endedAt === null ? whileActive : [['ended', toUserHash(state), endedAt, id]]),
    ['expiry', toExpiry(state), id],
  ]
}

// A hash, because a key has at most 1,978 bytes. JSON distinguishes the ids `1` and `'1'`.
const toHash = (parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url')

const toUserHash = ({ issuer, userId }: UserRef): string => toHash([issuer, userId])

/** Returns the instant from which a session is ended or expired. */
const toExpiry = ({ endedAt, idleExpiresAt, absoluteExpiresAt }: State): number =>
  Math.min(endedAt ?? Number.POSITIVE_INFINITY, idleExpiresAt, absoluteExpiresAt)

/** All entries whose keys start with these parts and continue with an instant, the earliest first. */
const rangeOf = (prefix: Key[]): RangeOptions => ({ start: prefix, end: [...prefix, Number.POSITIVE_INFINITY] })

const newestFirst = (prefix: Key[]): RangeOptions => ({
  start: [...prefix, Number.POSITIVE_INFINITY],
  end: prefix,
  reverse: true,
})

/** The entries of an index up to an instant, and including it: the end of a range is exclusive. */
const upTo = (index: string, instant: number): RangeOptions => ({ start: [index], end: [index, instant + 1] })

// The error names no id: an error may reach a log.
const takenError = (): Error =>
  Object.assign(new Error('lmdbStorage could not create a session (TAKEN)'), { code: 'TAKEN' })
