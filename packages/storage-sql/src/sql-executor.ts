import type { CallOptions } from '@jwt-auth/core'
import { hasMethod, usageError } from '@jwt-auth/core/internal'

/** The families of databases. MariaDB belongs to `mysql`. */
export type DialectName = 'sqlite' | 'postgresql' | 'mysql'

/** A bound value. Whole numbers are at most 2^53 - 1. */
export type SqlValue = string | number | null

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/**
 * What a statement returned. The storage rejects a select, or a statement with `returning`,
 * without `rows`, and every other change without `changedRows`.
 */
export interface SqlResult {
  /** The rows of a select, or of a statement with `returning`. */
  readonly rows?: readonly Row[] | undefined
  /** How many rows an insert, an update or a delete changed. */
  readonly changedRows?: number | undefined
}

/**
 * Runs one statement.
 *
 * @param text the statement, with the placeholders `?` (PostgreSQL: `$1`, `$2` and so on)
 * @param values the values, in the order of the placeholders
 * @param options the deadline of the caller: see {@link SqlExecutor.query}
 */
export type SqlQuery = (text: string, values: readonly SqlValue[], options?: CallOptions) => Promise<SqlResult>

/**
 * Runs the statements of the storage through one SQL client. docs/sql-clients.md describes how to
 * write an executor and how to test it.
 */
export interface SqlExecutor {
  /** The family of the database. */
  readonly dialect: DialectName
  /**
   * Runs one statement on any connection, outside of the application's transactions. Rejects with
   * the error of the driver. The storage recognizes deadlocks and missing tables by the `code` of
   * this error. When the signal aborts, the call rejects immediately: a statement that was not sent
   * is never sent, and a statement in flight is cancelled and its connection is not used again.
   */
  readonly query: SqlQuery
  /**
   * Whether `query` runs in a transaction of the application. After a deadlock or a serialization
   * failure, its statements are then not sent again: the rest of the transaction was rolled back.
   * @default false
   */
  readonly isInTransaction?: boolean | undefined
  /**
   * Checks out one connection, starts a transaction, and runs work there. Commits when the work
   * resolves. Rolls back, or closes the connection, when the work rejects, and rejects with the
   * same reason. Migrations call this method, and counts on MySQL.
   */
  transaction<T>(work: (query: SqlQuery) => Promise<T>): Promise<T>
}

/** Resolves to whether a server of the dialect `mysql` is MariaDB. */
export const isMariaDb = async (query: SqlQuery, options?: CallOptions): Promise<boolean> => {
  const { rows: [row] = [] } = await query('select version() as version', [], options)
  return String(row?.['version']).includes('MariaDB')
}

/**
 * Checks that the argument of `sqlStorage` is an executor, and returns it.
 *
 * @throws TypeError that names the fix
 */
export const requireExecutor = (executor: SqlExecutor): SqlExecutor => {
  const hasMethods = hasMethod(executor, 'query') && hasMethod(executor, 'transaction')
  if (hasMethods && ['sqlite', 'postgresql', 'mysql'].includes(executor.dialect)) return executor
  throw usageError('sqlStorage', 'sqlStorage must be given an executor, such as pgExecutor(pool).')
}
