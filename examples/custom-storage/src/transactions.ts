import type { CallOptions } from '@jwt-auth/core'
import type { Database, Key } from 'lmdb'

/** What the adapter uses of a database of the package `lmdb`. The values are text: open the database with the encoding `string`. */
export type LmdbDatabase = Pick<
  Database<string, Key>,
  'get' | 'getRange' | 'putSync' | 'removeSync' | 'childTransaction' | 'flushed' | 'resetReadTxn'
>

/** Runs a lookup, which reads one snapshot of the database. */
export const read = async <T>(db: LmdbDatabase, { signal }: CallOptions = {}, find: () => T): Promise<T> => {
  signal?.throwIfAborted()
  // Linearizable reads: within one turn of the event loop, lmdb keeps a snapshot, which may lack a write of another process.
  db.resetReadTxn()
  return find()
}

/** Runs a change in a transaction. Only one transaction of all processes writes at a time. If the change throws, it writes nothing. */
export const write = async <T>(db: LmdbDatabase, { signal }: CallOptions = {}, change: () => T): Promise<T> => {
  signal?.throwIfAborted()
  const commit = async (): Promise<T> => {
    const result = await db.childTransaction(() => {
      // The deadline: the call may have waited here for the transactions of other calls and processes.
      signal?.throwIfAborted()
      return change()
    })
    // Durable writes: lmdb commits before it flushes the commit to the disk.
    await db.flushed
    return result
  }
  return rejectOnAbort(commit(), signal)
}

/** Settles as the work does, or rejects when the signal aborts. Removes its listener before it settles. */
const rejectOnAbort = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return work
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.finally(() => signal.removeEventListener('abort', abort)).then(resolve, reject)
  })
}
