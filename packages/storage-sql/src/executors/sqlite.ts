import { setTimeout } from 'node:timers/promises'
import { createFairQueue, hasMethod, isPromise, usageError } from '@jwt-auth/core/internal'
import { createPooledExecutor } from '../pooled-executor.js'
import type { SqlExecutor, SqlValue } from '../sql-executor.js'
import { isBusy } from '../storage-error.js'
import { requireClient } from './executor-options.js'

/**
 * The part of a database of `better-sqlite3`, `libsql` or `node:sqlite` that the executor uses. The
 * types of some drivers allow fewer values than the drivers take: with `never`, all of them fit.
 */
interface SqliteDatabase<Value = SqlValue> {
  /** Prepares one statement. */
  prepare(text: string): SqliteStatement<Value>
  /** Runs a statement without values. */
  exec(text: string): unknown
  /** Closes the database. */
  close(): unknown
}

/** The part of a prepared statement that the executor uses. */
interface SqliteStatement<Value = SqlValue> {
  /** Whether the statement returns rows. `node:sqlite` does not say so. */
  readonly reader?: boolean
  /** Runs the statement, and returns its rows. */
  all(...values: Value[]): unknown
  /** Runs the statement, and returns how many rows it changed. */
  run(...values: Value[]): { readonly changes: number | bigint }
}

/** The executor of a SQLite file. */
export interface SqliteExecutor extends SqlExecutor {
  /** Closes the file. Later calls reject. */
  close(): void
}

/**
 * Creates the executor of a SQLite file, over `better-sqlite3`, `libsql` or `node:sqlite`. The
 * executor has a connection of its own, so that the statements of the storage never become part of
 * a transaction of your application. It sets `journal_mode=wal`, `synchronous=full` and a wait of
 * at most 500 ms for another process that writes. After a statement that failed because of a lock,
 * it opens the file again.
 *
 * @throws TypeError for another value, such as an open database or its class
 * @example
 * ```ts
 * const executor = sqliteExecutor(() => new DatabaseSync('app.sqlite'))
 * const storage = sqlStorage(executor)
 * ```
 */
export const sqliteExecutor = (open: () => SqliteDatabase<never>): SqliteExecutor => {
  const call = 'sqliteExecutor(() => new Database(file))'
  requireClient(isOpener(open), 'sqliteExecutor', 'a function that opens the file', call)
  const queue = createFairQueue(1)
  let current: SqliteConnection | undefined
  let [isTaken, isClosed] = [false, false]

  const closeCurrent = (): void => {
    current?.database.close()
    current = undefined
  }
  const release = (connection: SqliteConnection, discardReason?: unknown): void => {
    if (discardReason !== undefined || connection.hasMetLock || isClosed) closeCurrent()
    isTaken = false
    queue.leave()
  }
  const acquire = async (): Promise<SqliteConnection> => {
    await queue.enter()
    try {
      if (isClosed) throw new Error('the executor is closed')
      current ??= {
        database: await openSqlite(() => requireDatabase(open())),
        statements: new Map(),
        hasMetLock: false,
      }
      isTaken = true
      return current
    } catch (error) {
      queue.leave()
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

/** An open SQLite file. */
interface SqliteConnection {
  readonly database: SqliteDatabase
  /** Preparing a statement takes longer than running it. */
  readonly statements: Map<string, SqliteStatement>
  /** Whether a statement met a lock. Then the connection must not be used again. */
  hasMetLock: boolean
}

// The longest wait for another process that writes. The drivers are synchronous: the event loop
// waits too.
const busyTimeoutMs = 500
// When several processes open a new file at the same moment, one of them switches it to the
// write-ahead log. In the others SQLite fails immediately, without the wait above, so they open the
// file again, for at most two seconds.
const [maxOpenAttempts, openPauseMs] = [100, 20]

/**
 * Opens a SQLite file with the settings that session storage relies on.
 *
 * @param open opens a connection to the file
 */
export const openSqlite = async <Database extends Pick<SqliteDatabase, 'exec' | 'close'>>(
  open: () => Database | Promise<Database>,
): Promise<Database> => {
  for (let attempt = 1; ; attempt += 1) {
    const database = await open()
    try {
      database.exec(`pragma busy_timeout = ${busyTimeoutMs}`)
      database.exec('pragma journal_mode = wal')
      database.exec('pragma synchronous = full')
      // `wal_autocheckpoint` stays 1,000: with 100, guarded requests during a purge have a p99 of
      // 13 instead of 19 ms, but the purge takes twice as long, and there are up to 12% fewer
      // rotations.
      return database
    } catch (thrown) {
      database.close()
      const error = toCodedError(thrown)
      if (!isBusy(error) || attempt === maxOpenAttempts) throw error
      await setTimeout(openPauseMs)
    }
  }
}

const isDatabase = (opened: unknown): opened is SqliteDatabase =>
  hasMethod(opened, 'prepare') && hasMethod(opened, 'exec')

const requireDatabase = (opened: unknown): SqliteDatabase => {
  if (isDatabase(opened)) return opened
  const not = isPromise(opened) ? ', not a promise' : ''
  throw usageError(
    'sqliteExecutor',
    `the function of sqliteExecutor must return an open database${not}, such as sqliteExecutor(() => new Database(file)).`,
  )
}

/** Runs one statement, in one synchronous call of the driver. */
const runOnSqlite = async (connection: SqliteConnection, text: string, values: readonly SqlValue[]) => {
  const { database, statements } = connection
  try {
    const statement = statements.get(text) ?? database.prepare(text)
    statements.set(text, statement)
    if (!(statement.reader ?? /^(select|pragma)| returning /.test(text))) {
      return { changedRows: Number(statement.run(...values).changes) }
    }
    const rows = statement.all(...values)
    return { rows: Array.isArray(rows) ? rows : undefined }
  } catch (thrown) {
    const error = toCodedError(thrown)
    // libsql leaves the statement in progress (tursodatabase/libsql-js#238). The connection would
    // then read an old state, and acknowledge writes that it does not commit.
    connection.hasMetLock ||= isBusy(error)
    throw error
  }
}

// `node:sqlite` gives its errors the number of SQLite in place of the name.
const toCodedError = (thrown: unknown): unknown => {
  if (!(thrown instanceof Error && 'errcode' in thrown && typeof thrown.errcode === 'number')) return thrown
  const primary = thrown.errcode & 0xff
  return Object.assign(thrown, { code: names.get(primary) ?? `SQLITE_${primary}` })
}

const names: ReadonlyMap<number, string> = new Map([
  [1, 'SQLITE_ERROR'],
  [5, 'SQLITE_BUSY'],
  [8, 'SQLITE_READONLY'],
  [13, 'SQLITE_FULL'],
  [19, 'SQLITE_CONSTRAINT'],
])
