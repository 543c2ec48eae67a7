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

/**
 * Mistakes that authors of adapters have made or may make, besides those in
 * packages/storage-conformance/test/mistakes.
 */
export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'an absent `credentialVersion` is written as the text “null”',
    changes: [inRows('login: { credentialVersion,', 'login: { credentialVersion: String(credentialVersion),')],
    capability: 'creation',
    foundBy: 'create stores null in every nullable field, and empty text as empty text',
  },
  {
    name: '`deleteExpired` excludes its instant',
    changes: [inStorage('end: [index, instant + 1]', 'end: [index, instant]')],
    capability: 'clean-up',
    foundBy: 'deleteExpired includes an absolute expiry equal to the instant, and excludes one a millisecond later',
  },
  {
    name: '`deleteExpired` leaves the entry of the selector',
    changes: [inStorage('toIndexKeys(before) : []', 'toIndexKeys(before).slice(after ? 0 : 1) : []')],
    capability: 'clean-up',
    foundBy:
      'deleteExpired frees the id and selector hash of a deleted session, and no lookup or list finds the session',
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
