import type { CallOptions } from '@jwt-auth/core'
import { createFairQueue, hasMethod, onAbort } from '@jwt-auth/core/internal'
import { createConnectionCheck, findSocket } from './connection-check.js'
import type { PooledClient } from './pooled-client.js'
import { hasLostUse } from './storage-error.js'

/**
 * Creates the function that runs one query on a connection of a client. When the signal aborts, the
 * call rejects with the signal's reason: a query that waits for a connection is not sent, and a
 * query in flight is cancelled and its connection discarded. The cancellations of all calls of one
 * function are bounded together: at most four are in progress, each for at most a second.
 */
export const createConnectionRunner = <Connection extends object>(client: PooledClient<Connection>) => {
  const abandon = createAbandoner(client)
  const check = createConnectionCheck(client)

  return <T>(options: CallOptions | undefined, query: (connection: Connection) => PromiseLike<T>) =>
    new Promise<T>((resolve, reject) => {
      let isAborted = false
      let used: Connection | undefined
      const stopListening = onAbort(options, (reason) => {
        isAborted = true
        if (used !== undefined) void abandon(used, reason)
        reject(reason)
      })

      const run = async (): Promise<T> => {
        const connection = await client.acquire()
        if (isAborted) {
          // The pool has no way to cancel a request for a connection.
          await client.release(connection)
          throw options?.signal?.reason
        }
        used = connection
        let isSafe = false
        try {
          await check.begin(connection)
          // The query is not sent after an abort.
          if (isAborted) throw options?.signal?.reason
          try {
            return await query(connection)
          } catch (failure) {
            if (!isAborted && hasLostUse(failure)) {
              // The connection is discarded as after an abort.
              isAborted = true
              void abandon(connection, lost)
            }
            throw failure
          } finally {
            check.end(connection)
            isSafe = true
          }
        } finally {
          stopListening()
          if (!isSafe && !isAborted) destroySocket(connection)
          if (!isAborted) await client.release(connection, isSafe ? undefined : refused)
        }
      }
      if (isAborted) return
      run().then(resolve, (error: unknown) => {
        stopListening()
        reject(error)
      })
    })
}

// The reasons that knex prints. The failure of a statement may contain bound values.
const refused = 'it was in a transaction of somebody else, or had unsafe settings'
const lost = 'its statement may still run, or its server is closing it or accepts no writes'

// Each cancellation opens a connection. During an outage, cancellations must not flood the server.
const maxCancellations = 4

// Without this limit, a silent server keeps a cancellation and the cancelled connection open until
// the driver times out. `pg` never times out.
const maxCancellationMs = 1_000

/**
 * Creates the function that cancels the statement of a connection, and discards the connection. The
 * function never rejects. At most four cancellations are in progress at a
 * time; the others wait. The pool gets each connection back after its cancellation, because
 * PgBouncer cancels nothing for a client that has disconnected.
 *
 * @param limitMs the longest time for one cancellation, in milliseconds
 */
export const createAbandoner = <Connection extends object>(
  { cancel, release }: Pick<PooledClient<Connection>, 'cancel' | 'release'>,
  limitMs: number = maxCancellationMs,
): ((connection: Connection, reason: unknown) => Promise<void>) => {
  const queue = createFairQueue(maxCancellations)
  return async (connection, reason) => {
    const limit = AbortSignal.timeout(limitMs)
    await queue.enter()
    // A cancellation that fails changes nothing: the connection is closed in any case.
    if (!limit.aborted) await cancel?.(connection, limit).catch(() => {})
    destroySocket(connection)
    await Promise.resolve(release(connection, reason)).catch(() => {})
    queue.leave()
  }
}

/**
 * Closes the socket of a connection. `destroy` of mysql2 only ends the stream, and a silent server
 * never responds to that. `end` of pg waits for the statement.
 */
export const destroySocket = (connection: object): void => {
  for (const target of [connection, findSocket(connection)]) if (hasMethod(target, 'destroy')) target.destroy()
}
