import { createAdapterError } from '@jwt-auth/core/internal'

const missingTable: ReadonlySet<string> = new Set(['42P01', 'ER_NO_SUCH_TABLE'])

const missingColumn: ReadonlySet<string> = new Set(['42703', 'ER_BAD_FIELD_ERROR'])

// The database rolled the statement back, so the statement can be sent again.
const conflicts: ReadonlySet<string> = new Set(['40001', '40P01', 'ER_LOCK_DEADLOCK'])

/** Returns whether the database rolled a statement back because of a concurrent statement. */
export const isConflict = (thrown: unknown): boolean => conflicts.has(toCode(thrown))

const lockTimeout: ReadonlySet<string> = new Set(['55P03', 'ER_LOCK_WAIT_TIMEOUT'])

/** Returns whether PostgreSQL, MySQL or MariaDB ended the wait for a lock at its limit. */
export const isLockTimeout = (thrown: unknown): boolean => lockTimeout.has(toCode(thrown))

const lostUse: ReadonlySet<string> = new Set([
  'QUERY_TIMEOUT',
  '57P01',
  '57P02',
  '25006',
  'ER_OPTION_PREVENTS_STATEMENT',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  'ER_READ_ONLY_MODE',
])

/**
 * Returns whether later statements on the connection would fail too: its statement may never end
 * (the setting `query_timeout` of `pg`), PostgreSQL is closing the connection, which `pg` learns
 * later, or its server accepts no writes since a failover.
 */
export const hasLostUse = (thrown: unknown): boolean => lostUse.has(toCode(thrown))

/** Returns whether SQLite aborted a statement because another connection holds a lock. */
export const isBusy = (thrown: unknown): boolean => toCode(thrown).startsWith('SQLITE_BUSY')

/**
 * Returns whether a statement failed because its table does not exist. SQLite has no code for this
 * failure.
 */
export const isMissingTable = (thrown: unknown): boolean =>
  missingTable.has(toCode(thrown)) || toDriverMessage(thrown).includes('no such table')

/**
 * Converts the failure of a session storage for the application's log. Keeps the code of the driver
 * or the database. Drops the message and the cause, which may hold bound values: knex prints them,
 * and databases name the values of a duplicate key.
 *
 * @param operation completes the sentence "could not …"
 */
export const toStorageError = (operation: string, thrown: unknown): Error => {
  const advice = adviseOnSchema(thrown, 'its table', 'call storage.migrate()')
  return toErrorWithCode(`the SQL storage could not ${operation}`, thrown, advice)
}

/**
 * Creates the error for a row that this adapter did not write. `fault` names the column and never
 * repeats the value.
 */
export const unreadableError = (fault: string): TypeError =>
  new TypeError(`jwt-auth: the SQL storage could not read a session: ${fault}.`)

/**
 * Returns the driver's code of a failure, this package's word for a failure without a code, or the
 * name of the error.
 */
export const toCode = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return 'unknown failure'
  if ('code' in thrown && typeof thrown.code === 'string' && thrown.code !== '') return thrown.code
  return words.get(toDriverMessage(thrown)) ?? thrown.name
}

/** The SQL mode of MySQL in which no connection is used. */
export const unsafeMode = 'NO_BACKSLASH_ESCAPES'

/** The code of the error for a connection whose character set is not one of the safe ones. */
export const unsafeCharset = 'UNSAFE_CHARACTER_SET'

/** The code of the error for a connection to MySQL that does not commit each statement. */
export const autocommitOff = 'AUTOCOMMIT_OFF'

/** The code of the error for a connection that is in a transaction of somebody else. */
export const openTransaction = 'OPEN_TRANSACTION'

const adviceOnCode: ReadonlyMap<string, string> = new Map([
  [autocommitOff, '; remove `autocommit = 0` from the settings of the connection: nothing would be committed'],
  [openTransaction, '; the application gave a connection back to the pool before it ended its transaction'],
  [unsafeMode, '; remove this mode from sql_mode: mysql2 escapes values with backslashes'],
  [unsafeCharset, "; connect with `charset: 'utf8mb4'`: mysql2 escapes values with backslashes"],
])

/** Creates an error with the code of a failure, and without its message and its cause. */
export const toErrorWithCode = (sentence: string, thrown: unknown, advice = ''): Error => {
  const code = toCode(thrown)
  return createAdapterError(sentence, code, adviceOnCode.get(code) ?? advice)
}

/**
 * Returns the end of an error message: how to fix a missing table or column. Empty for other
 * failures.
 */
export const adviseOnSchema = (thrown: unknown, table: string, fix: string): string => {
  if (isMissingTable(thrown)) return `; ${table} is missing: ${fix}`
  return isMissingColumn(thrown) ? `; ${table} lacks a column: ${fix}` : ''
}

/**
 * Returns whether a statement failed because a column does not exist. SQLite has no code for this
 * failure.
 */
export const isMissingColumn = (thrown: unknown): boolean =>
  missingColumn.has(toCode(thrown)) ||
  (toCode(thrown).startsWith('SQLITE_ERROR') && findMissingColumn(thrown) !== undefined)

/**
 * Returns the name of a column that does not exist. PostgreSQL and MySQL may write messages in
 * other languages, which do not show it.
 */
export const findMissingColumn = (thrown: unknown): string | undefined =>
  missingColumnMessages.map((form) => form.exec(toDriverMessage(thrown))?.[1]).find((column) => column !== undefined)

const missingColumnMessages = [
  /^(?:SQLITE_ERROR: )?no such column: (.+)$/,
  /^(?:SQLITE_ERROR: )?table .+ has no column named (.+)$/,
  /^column "?(.+?)"? does not exist$/,
  /^Unknown column '(.+)' in /,
]

/**
 * Returns the driver's message of a failure. knex puts the statement before this message, with the
 * bound values unless `compileSqlOnError` is false.
 */
export const toDriverMessage = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.message.split(' - ').at(-1) ?? '') : ''

// pg and mysql2 give these failures no code.
const words: ReadonlyMap<string, string> = new Map([
  ['Connection terminated', 'CONNECTION_TERMINATED'],
  ['Connection terminated unexpectedly', 'CONNECTION_TERMINATED'],
  ['Client has encountered a connection error and is not queryable', 'CONNECTION_TERMINATED'],
  ['Client was closed and is not queryable', 'CONNECTION_TERMINATED'],
  ["Can't add new command when connection is in closed state", 'CONNECTION_TERMINATED'],
  ['Query read timeout', 'QUERY_TIMEOUT'],
  ['timeout expired', 'CONNECT_TIMEOUT'],
  ['timeout exceeded when trying to connect', 'CONNECT_TIMEOUT'],
  ['Cannot use a pool after calling end on the pool', 'POOL_CLOSED'],
  ['Pool is closed.', 'POOL_CLOSED'],
])
