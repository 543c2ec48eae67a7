import type { Knex } from 'knex'
import { createAbandoner } from './abandon-connection.js'

/**
 * Runs one query on a connection of the pool. When the signal aborts, the call rejects with the signal's reason: a query that waits for
 * a connection is not sent, and a query in flight is cancelled and its connection discarded.
 */
export type UseConnection = <T>(
  signal: AbortSignal | undefined,
  query: (connection: object) => PromiseLike<T>,
) => Promise<T>

/**
 * Creates the function that uses the connections of a knex instance. One function bounds the cancellations of all its calls
 * together.
 */
export const createConnectionUser = (knex: Knex): UseConnection => {
  const { client } = knex
  const abandon = createAbandoner(knex)
  return async (signal, query) => {
    signal?.throwIfAborted()
    const acquiring: Promise<object> = client.acquireConnection()
    // The pool has no way to cancel a request for a connection: the connection goes back as soon as the pool hands it out.
    const giveBack = (): unknown => acquiring.then((connection) => client.releaseConnection(connection)).catch(() => {})
    const connection = await untilAborted(acquiring, signal, giveBack)
    try {
      // The signal may have aborted since the pool handed the connection out.
      signal?.throwIfAborted()
      return await untilAborted(query(connection), signal, (reason) => abandon(connection, reason))
    } finally {
      await client.releaseConnection(connection)
    }
  }
}

const untilAborted = <T>(
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
