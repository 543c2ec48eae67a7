import { createPooledExecutor } from '../pooled-executor.js'
import type { SqlExecutor } from '../sql-executor.js'
import { openSqlite, runOnSqlite, type SqliteConnection, type SqliteDatabase } from '../sqlite-connection.js'

export type { SqliteDatabase, SqliteStatement } from '../sqlite-connection.js'

/** The executor of a SQLite file. */
export interface SqliteExecutor extends SqlExecutor {
  /** Closes the file. Later calls reject. */
  readonly close: () => void
}

/**
 * Creates the executor of a SQLite file, over `better-sqlite3`, `libsql` or `node:sqlite`. The executor has a connection of its own, so
 * that the statements of the storage never become part of a transaction of your application. It sets `journal_mode=wal`,
 * `synchronous=full` and a wait of at most 500 ms for another process that writes. After a lock, it opens the file again.
 *
 * @example
 * ```ts
 * const executor = sqliteExecutor(() => new DatabaseSync('app.sqlite'))
 * const storage = sqlStorage(executor)
 * ```
 */
export const sqliteExecutor = (open: () => SqliteDatabase): SqliteExecutor => {
  const waiting: (() => void)[] = []
  const state: { connection?: SqliteConnection | undefined; isTaken?: boolean; isClosed?: boolean } = {}

  const closeConnection = (): void => {
    state.connection?.database.close()
    state.connection = undefined
  }
  const handOver = (): void => {
    const next = waiting.shift()
    state.isTaken = next !== undefined
    next?.()
  }
  const release = (connection: SqliteConnection, discardReason?: unknown): void => {
    if (discardReason !== undefined || connection.hasMetLock || state.isClosed) closeConnection()
    handOver()
  }
  const acquire = async (): Promise<SqliteConnection> => {
    if (state.isTaken) await new Promise<void>((resolve) => waiting.push(resolve))
    state.isTaken = true
    try {
      if (state.isClosed) throw new Error('the executor is closed')
      state.connection ??= await openSqlite(open)
      return state.connection
    } catch (error) {
      handOver()
      throw error
    }
  }
  return {
    ...createPooledExecutor({ dialect: 'sqlite', acquire, release, send: runOnSqlite }),
    close: () => {
      state.isClosed = true
      if (!state.isTaken) closeConnection()
    },
  }
}
