import { type ConnectionPool, createConnectionRunner, requireBackslashEscapes } from './connection-runner.js'
import type { DialectName, SqlExecutor, SqlResult, SqlValue } from './sql-executor.js'

/** A SQL client that hands out connections. */
export interface PooledClient<Connection extends object> extends Omit<ConnectionPool<Connection>, 'check'> {
  /** The family of the database. */
  readonly dialect: DialectName
  /** Runs one statement on a connection. */
  readonly send: (connection: Connection, text: string, values: readonly SqlValue[]) => Promise<SqlResult>
}

/**
 * Creates the executor of a SQL client that hands out connections. When a call aborts, its
 * statement is cancelled and its connection discarded: at most four cancellations are in progress,
 * each for at most a second.
 *
 * @example
 * ```ts
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
  const { dialect, acquire, release, send } = client
  const check = (connection: Connection) => requireBackslashEscapes((text) => send(connection, text, []))
  const runOnConnection = createConnectionRunner(dialect === 'mysql' ? { ...client, check } : client)
  return {
    dialect,
    query: (text, values, options) => runOnConnection(options, (connection) => send(connection, text, values)),
    transaction: async (work) => {
      const connection = await acquire()
      try {
        await send(connection, 'begin', [])
        const result = await work((text, values) => send(connection, text, values))
        await send(connection, 'commit', [])
        await release(connection)
        return result
      } catch (error) {
        // Some drivers close a connection only later, and keep its locks until then.
        await send(connection, 'rollback', []).catch(() => {})
        await release(connection, error)
        throw error
      }
    },
  }
}
