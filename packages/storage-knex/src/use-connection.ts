import type { Knex } from 'knex'
import { createAbandoner } from './abandon-connection.js'

/**
 * Runs one query on a connection of the pool. When the signal aborts, the query is cancelled, its connection is not used
 * again, and the call rejects with the signal's reason.
 */
export type UseConnection = <T>(
  signal: AbortSignal | undefined,
  query: (connection: object) => PromiseLike<T>,
) => Promise<T>

/** Makes the function that uses the connections of a knex instance. */
export const createConnectionUser = (knex: Knex): UseConnection => {
  const { client } = knex
  const abandon = createAbandoner(knex)
  return async (signal, query) => {
    signal?.throwIfAborted()
    const connection: object = await client.acquireConnection()
    try {
      // The pool may have kept us waiting until nobody waits for us.
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
