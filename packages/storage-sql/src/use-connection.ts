import { createAbandoner } from './abandon-connection.js'
import type { ConnectionPool } from './connection-pool.js'

/**
 * Runs one query on a connection of the pool. When the signal aborts, the call rejects with the signal's reason: a query that waits for
 * a connection is not sent, and a query in flight is cancelled and its connection discarded.
 */
export type UseConnection<Connection extends object> = <T>(
  signal: AbortSignal | undefined,
  query: (connection: Connection) => PromiseLike<T>,
) => Promise<T>

/**
 * Creates the function that uses the connections of a pool. One function bounds the cancellations of all its calls together: at most
 * four are in progress, each for at most a second.
 */
export const createConnectionUser = <Connection extends object>(
  pool: ConnectionPool<Connection>,
): UseConnection<Connection> => {
  const abandon = createAbandoner(pool)
  const checked = new WeakSet<Connection>()
  const check = async (connection: Connection, signal: AbortSignal | undefined): Promise<void> => {
    await pool.check?.(connection)
    checked.add(connection)
    // The query is not sent after the signal has aborted.
    signal?.throwIfAborted()
  }
  return async (signal, query) => {
    signal?.throwIfAborted()
    const acquiring = pool.acquire()
    // The pool has no way to cancel a request for a connection: the connection goes back as soon as the pool hands it out.
    const giveBack = (): unknown => acquiring.then((connection) => pool.release(connection)).catch(() => {})
    const connection = await untilAborted(acquiring, signal, giveBack)
    // The signal may have aborted since the pool handed the connection out.
    if (signal?.aborted) {
      await pool.release(connection)
      throw signal.reason
    }
    let isAbandoned = false
    try {
      const isChecked = pool.check === undefined || checked.has(connection)
      const result = isChecked ? query(connection) : check(connection, signal).then(() => query(connection))
      return await untilAborted(result, signal, (reason) => {
        isAbandoned = true
        abandon(connection, reason)
      })
    } finally {
      if (!isAbandoned) await pool.release(connection)
    }
  }
}

/** Settles as a promise does, or rejects with the signal's reason when the signal aborts before. */
export const untilAborted = <T>(
  result: PromiseLike<T>,
  signal: AbortSignal | undefined,
  onAbort: (reason: unknown) => void,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      onAbort(signal?.reason)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
    const stopListening = (): void => signal?.removeEventListener('abort', stop)
    result.then(
      (value) => {
        stopListening()
        resolve(value)
      },
      (reason: unknown) => {
        stopListening()
        reject(reason)
      },
    )
  })
