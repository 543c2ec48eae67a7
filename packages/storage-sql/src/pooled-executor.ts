import { createConnectionRunner, destroySocket } from './connection-runner.js'
import type { PooledClient } from './pooled-client.js'
import type { SqlExecutor } from './sql-executor.js'

/**
 * Creates the executor of a SQL client that hands out connections. When a call aborts, its
 * statement is cancelled and its connection discarded: at most four cancellations are in progress,
 * each for at most a second.
 *
 * @example
 * ```ts
 * // pg ends the process when an idle connection is lost and the pool has no listener.
 * pool.on('error', () => {})
 * const executor = createPooledExecutor({
 *   dialect: 'postgresql',
 *   acquire: () => pool.connect(),
 *   release: (client, discardReason) => client.release(discardReason !== undefined),
 *   send: async (client, text, values) => {
 *     const { rows, rowCount } = await client.query(text, [...values])
 *     return { rows, changedRows: rowCount ?? undefined }
 *   },
 * })
 * ```
 */
export const createPooledExecutor = <Connection extends object>(client: PooledClient<Connection>): SqlExecutor => {
  const { dialect, send } = client
  const runOnConnection = createConnectionRunner(client)
  return {
    dialect,
    query: (text, values, options) => runOnConnection(options, (connection) => send(connection, text, values)),
    transaction: (work) =>
      runOnConnection(undefined, async (connection) => {
        await send(connection, 'begin', [])
        try {
          const result = await work((text, values) => send(connection, text, values))
          await send(connection, 'commit', [])
          return result
        } catch (error) {
          // A connection that cannot roll back may keep its locks.
          await send(connection, 'rollback', []).catch(() => destroySocket(connection))
          throw error
        }
      }),
  }
}
