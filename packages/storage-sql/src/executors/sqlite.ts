import { createPooledExecutor } from '../pooled-executor.js'
import { refuseOptions, requireClient } from '../require-client.js'
import { createSlots } from '../slots.js'
import type { SqlExecutor } from '../sql-executor.js'
import { openSqlite, runOnSqlite, type SqliteConnection, type SqliteDatabase } from '../sqlite-connection.js'

export type { SqliteDatabase, SqliteStatement } from '../sqlite-connection.js'

/** The executor of a SQLite file. */
export interface SqliteExecutor extends SqlExecutor {
  /** Closes the file. Later calls reject. */
  readonly close: () => void
}

/**
 * Creates the executor of a SQLite file, over `better-sqlite3`, `libsql` or `node:sqlite`. The executor has a connection of its
 * own, so that the statements of the storage never become part of a transaction of your application. It sets `journal_mode=wal`,
 * `synchronous=full` and a wait of at most 500 ms for another process that writes. After a statement that failed because of a lock,
 * it opens the file again.
 *
 * @throws TypeError for another value, such as an open database or its class
 * @example
 * ```ts
 * const executor = sqliteExecutor(() => new DatabaseSync('app.sqlite'))
 * const storage = sqlStorage(executor)
 * ```
 */
export const sqliteExecutor: (open: () => SqliteDatabase) => SqliteExecutor = (open, options?: unknown) => {
  const call = 'sqliteExecutor(() => new Database(file))'
  requireClient(isOpener(open), 'sqliteExecutor', 'a function that opens the file', call)
  refuseOptions(options, 'sqliteExecutor')
  const slots = createSlots(1)
  let current: SqliteConnection | undefined
  let [isTaken, isClosed] = [false, false]

  const closeCurrent = (): void => {
    current?.database.close()
    current = undefined
  }
  const release = (connection: SqliteConnection, discardReason?: unknown): void => {
    if (discardReason !== undefined || connection.hasMetLock || isClosed) closeCurrent()
    isTaken = false
    slots.give()
  }
  const acquire = async (): Promise<SqliteConnection> => {
    await slots.take()
    try {
      if (isClosed) throw new Error('the executor is closed')
      current ??= await openSqlite(open)
      isTaken = true
      return current
    } catch (error) {
      slots.give()
      throw error
    }
  }
  return {
    ...createPooledExecutor({ dialect: 'sqlite', acquire, release, send: runOnSqlite }),
    close: () => {
      isClosed = true
      if (!isTaken) closeCurrent()
    },
  }
}

// The classes of `libsql` and `better-sqlite3` are functions with the methods of a connection.
const isOpener = (open: unknown): boolean => typeof open === 'function' && open.prototype?.prepare === undefined
