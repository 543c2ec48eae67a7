import type { Capability } from '@jwt-auth/storage-conformance'
import type { SourceFault } from './bundle.js'

/** A mistake in the adapter, and the case that finds it. */
export interface PlantedFault {
  /** What the faulty adapter does. The README lists the faults by this name. */
  readonly name: string
  /** The changes to the sources. */
  readonly changes: readonly SourceFault[]
  /** The capability whose cases run on the faulty adapter. */
  readonly capability: Capability
  /** The case of this capability that fails. Others may fail too. */
  readonly foundBy: string
  /** Another capability whose cases run, and do not find the fault. */
  readonly missedBy?: Capability
}

const inStorage = (find: string, replace: string): SourceFault => ({ file: 'lmdb-storage.ts', find, replace })
const inRows = (find: string, replace: string): SourceFault => ({ file: 'session-rows.ts', find, replace })
const inTransactions = (find: string, replace: string): SourceFault => ({ file: 'transactions.ts', find, replace })

/** Fourteen mistakes that authors of adapters have made or may make. */
export const plantedFaults: readonly PlantedFault[] = [
  {
    name: '`rotate` does not move the index entry of the expiry',
    changes: [
      inStorage(
        'replaceState(sessionId, state, { ...state, ...next })',
        "db.putSync(['state', sessionId], JSON.stringify({ ...state, ...next }))",
      ),
    ],
    capability: 'clean-up',
    foundBy: 'deleteExpired keeps a session if a rotation has moved its idle expiry past the given instant',
  },
  {
    name: "`1` and `'1'` are one key",
    changes: [inStorage('JSON.stringify(parts)', 'parts.join()')],
    capability: 'users',
    foundBy: 'list and endAllForUser distinguish the integer 1 from the text 1',
  },
  {
    name: 'an absent `credentialVersion` is written as the text “null”',
    changes: [inRows('login: { credentialVersion,', 'login: { credentialVersion: String(credentialVersion),')],
    capability: 'creation',
    foundBy: 'create stores null in every nullable field, and empty text as empty text',
  },
  {
    name: '`<=` instead of `<` at an expiry',
    changes: [inStorage('activeAt < toExpiry(session)', 'activeAt <= toExpiry(session)')],
    capability: 'listing',
    foundBy: 'list includes a session a millisecond before each of its expiries, and omits it at the expiry',
  },
  {
    name: '`rotate` reads the session before its transaction',
    changes: [
      inStorage(
        `    rotate: ({ sessionId, expectedVerifierHash, ...next }, options) =>
      // Compare-and-swap: no other call writes between the comparison and the write.
      write(db, options, () => {
        const state = findState(sessionId)`,
        `    rotate: async ({ sessionId, expectedVerifierHash, ...next }, options) => {
      const state = findState(sessionId)
      return write(db, options, () => {`,
      ),
      inStorage("return 'rotated'\n      }),", "return 'rotated'\n      })},"),
    ],
    capability: 'concurrency',
    foundBy: 'one of four concurrent rotate calls with the same expected verifier hash resolves to rotated',
  },
  {
    name: 'a cache returns the same object to two callers',
    changes: [
      inRows('type Check =', 'const cache = new Map()\ntype Check ='),
      inRows('return value as Row', 'if (!cache.has(row)) cache.set(row, value)\n  return cache.get(row)'),
    ],
    capability: 'copies',
    foundBy: 'findByIds resolves to copies',
  },
  {
    name: '`deleteExpired` excludes its instant',
    changes: [inStorage('end: [index, instant + 1]', 'end: [index, instant]')],
    capability: 'clean-up',
    foundBy: 'deleteExpired includes an idle expiry equal to the instant, and excludes one a millisecond later',
  },
  {
    name: '`deleteExpired` leaves the entry of the selector',
    changes: [inStorage('toIndexKeys(before) : []', 'toIndexKeys(before).slice(after ? 0 : 1) : []')],
    capability: 'clean-up',
    foundBy:
      'deleteExpired frees the id and selector hash of a deleted session, and no lookup or list finds the session',
  },
  {
    name: 'a failure is returned as `undefined`',
    changes: [
      inStorage(
        'return id === undefined ? undefined : findSession(id)\n      }),',
        'return id === undefined ? undefined : findSession(id)\n      }).catch(() => undefined),',
      ),
    ],
    capability: 'failures',
    foundBy: 'findBySelectorHash rejects when the backend fails',
  },
  {
    name: '`endAllForUser` searches and ends in two transactions',
    changes: [
      inStorage('const count = await write(db, options, () => {', 'const all = await write(db, options, () => {'),
      inStorage(
        'for (const state of found) replaceState(state.id, state, toNext(state))\n      return found.length',
        `return found
    })
    const count = await write(db, options, () => {
      for (const state of all) replaceState(state.id, state, toNext(state))
      return all.length`,
      ),
    ],
    capability: 'concurrency',
    foundBy: '16 concurrent endAllForUser calls count each session once',
  },
  {
    name: 'the signal is not checked again after the wait for other writers',
    changes: [inTransactions('signal?.throwIfAborted()\n      return change()', 'return change()')],
    capability: 'waiting',
    foundBy: 'a call is never sent when its signal aborts while the call waits to be sent',
  },
  {
    name: 'the error of a taken id contains the id',
    changes: [inStorage('throw takenError()', "throw new Error('taken: '.concat(id))")],
    capability: 'creation',
    foundBy: 'no error contains a bound value when create rejects a duplicate',
  },
  {
    name: 'a write resolves before it is flushed to the disk',
    changes: [inTransactions('await db.flushed', '')],
    capability: 'interruptions',
    foundBy:
      'end rejects and writes all or nothing when the response is lost after the commit, and a repeat completes the write',
  },
  {
    name: 'lookups read an old snapshot, which is renewed only when the same process writes',
    changes: [
      inTransactions('export const read =', 'export const snapshot = new Map()\nexport const read ='),
      inTransactions('await db.flushed', 'await db.flushed\n    snapshot.clear()'),
      inStorage('type LmdbDatabase, read,', 'type LmdbDatabase, read, snapshot,'),
      inStorage(
        "const [state, login] = [db.get(['state', id]), db.get(['login', id])]",
        `const [state, login] = snapshot.get(id) ?? [db.get(['state', id]), db.get(['login', id])]
    snapshot.set(id, [state, login])`,
      ),
    ],
    capability: 'processes',
    foundBy: 'every lookup sees the writes that resolved before the lookup started, in two processes',
    missedBy: 'sharing',
  },
]
