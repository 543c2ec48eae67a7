import { getMember, hasMethod } from '@jwt-auth/core/internal'
import { createPooledExecutor } from '../pooled-executor.js'
import type { Row, SqlExecutor, SqlValue } from '../sql-executor.js'
import { createMysqlCanceller } from './cancel-statement.js'
import { requireClient } from './executor-options.js'

/** The part of a pool of `mysql2` that the executor uses. */
interface MysqlPool {
  /** Checks out a connection. */
  getConnection(done: (error: Error | null, connection: MysqlPoolConnection) => void): void
}

/** The part of a connection of `mysql2` that the executor uses. */
interface MysqlPoolConnection {
  /** Runs one statement. */
  query(
    statement: { sql: string; values: SqlValue[]; rowsAsArray: false },
    done: (error: Error | null, result: unknown) => void,
  ): unknown
  /** Returns the connection to its pool. */
  release(): void
  /** Closes the connection. */
  destroy(): void
}

/**
 * Creates the executor of a pool of `mysql2` or of `mysql2/promise`. Your application creates the
 * pool, and ends it after `await auth.close()`.
 *
 * @throws TypeError for a value that is no pool, such as a single connection
 * @example
 * ```ts
 * const storage = sqlStorage(mysql2Executor(mysql2.createPool(process.env.DATABASE_URL)))
 * ```
 */
export const mysql2Executor = (pool: MysqlPool | { readonly pool: MysqlPool }): SqlExecutor => {
  const isPool = hasMethod(getMember(pool, 'pool') ?? pool, 'getConnection')
  requireClient(isPool, 'mysql2Executor', 'a pool of mysql2', 'mysql2Executor(mysql2.createPool(url))')
  const callbackPool = 'pool' in pool ? pool.pool : pool
  return createPooledExecutor<MysqlPoolConnection>({
    dialect: 'mysql',
    acquire: () => call((done) => callbackPool.getConnection(done)),
    release: (connection, discardReason) => (discardReason === undefined ? connection.release() : connection.destroy()),
    // The class of a connection of a pool extends the class `Connection`.
    cancel: createMysqlCanceller((connection) => Object.getPrototypeOf(connection.constructor)),
    send: async (connection, sql, values) => {
      const result = await call((done) => connection.query({ sql, values: [...values], rowsAsArray: false }, done))
      if (isRows(result)) return { rows: result }
      const changedRows = getMember(result, 'affectedRows')
      return { changedRows: typeof changedRows === 'number' ? changedRows : undefined }
    },
  })
}

const isRows = (result: unknown): result is readonly Row[] => Array.isArray(result)

const call = <T>(start: (done: (error: Error | null, result: T) => void) => unknown): Promise<T> =>
  new Promise((resolve, reject) => {
    start((error, result) => (error === null ? resolve(result) : reject(error)))
  })
