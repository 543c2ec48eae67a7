import type { KnexUsersOptions } from './knex-users-options.js'

const missingTable: ReadonlySet<string> = new Set(['42P01', 'ER_NO_SUCH_TABLE'])

const missingColumn: ReadonlySet<string> = new Set(['42703', 'ER_BAD_FIELD_ERROR'])

// The database rolled the statement back by itself, so that it may simply be sent again.
const conflicts: ReadonlySet<string> = new Set(['40001', '40P01', 'ER_LOCK_DEADLOCK'])

/** Whether the database gave up a statement because of another one at the same time. */
export const isConflict = (thrown: unknown): boolean => conflicts.has(readCode(thrown))

/** Returns whether PostgreSQL ended the wait for a lock at `lock_timeout`. */
export const isLockTimeout = (thrown: unknown): boolean => readCode(thrown) === '55P03'

/** Whether SQLite gave up a statement because another connection held a lock. */
export const isBusy = (thrown: unknown): boolean => readCode(thrown).startsWith('SQLITE_BUSY')

/**
 * The failure of a storage operation, for the host's log. Keeps the database's code; drops its message, which may hold
 * bound values (knex prints them, and a duplicate key shows itself).
 */
export const toStorageError = (operation: string, thrown: unknown): Error => {
  const advice = adviseOnSchema(thrown, 'its table', 'call storage.migrate()')
  return toErrorWithCode(`knex storage could not ${operation}`, thrown, advice)
}

/** The same for the counts of rate limits. */
export const toLimitsError = (thrown: unknown): Error => {
  const advice = adviseOnSchema(thrown, 'the table of limits', 'call migrate() of knexStorage')
  return toErrorWithCode('knexLimits could not count', thrown, advice)
}

const adviseOnSchema = (thrown: unknown, table: string, fix: string): string => {
  if (isMissingTable(thrown)) return `; ${table} is missing: ${fix}`
  return isMissingColumn(thrown) ? `; ${table} lacks a column: ${fix}` : ''
}

/**
 * The same for what `knexUsers` does with the application's table: what was typed as a user name may be a password. Names a missing
 * table or column by the option that holds the name.
 */
export const toUsersError = (operation: string, thrown: unknown, names: TableOfUsers): Error =>
  toErrorWithCode(`knexUsers could not ${operation}`, thrown, adviseOnMissing(thrown, names))

type TableOfUsers = Pick<KnexUsersOptions, 'table' | 'columns'>

const adviseOnMissing = (thrown: unknown, { table, columns }: TableOfUsers): string => {
  const sentence = readSentence(thrown)
  const [, sqliteTable] = /^(?:SQLITE_ERROR: )?no such table: (.+)$/.exec(sentence) ?? []
  if (missingTable.has(readCode(thrown)) || sqliteTable === table || sqliteTable?.endsWith(`.${table}`)) {
    return `; the table \`${table}\` does not exist: correct the option \`table\` or create the table`
  }
  if (!isMissingColumn(thrown)) return ''
  const missing = columnForms.map((form) => form.exec(sentence)?.[1]).find((column) => column !== undefined)
  // Only names from the options are repeated: the sentence is the driver's.
  const options = Object.entries(columns).flatMap(([field, column]) =>
    column === missing ? `\`columns.${field}\`` : [],
  )
  return options.length === 0
    ? `; a column is missing: compare the option \`columns\` with the table \`${table}\``
    : `; the table \`${table}\` has no column \`${missing}\`: correct the option ${options.join(' and ')}`
}

// SQLite has no code for it.
const sqliteColumnForms = [
  /^(?:SQLITE_ERROR: )?no such column: (.+)$/,
  /^(?:SQLITE_ERROR: )?table .+ has no column named (.+)$/,
]

// The sentences of PostgreSQL and MySQL may come in other languages; then the code remains.
const columnForms = [...sqliteColumnForms, /^column "?(.+?)"? does not exist$/, /^Unknown column '(.+)' in /]

// knex puts the statement before the driver's sentence, with the bound values unless `compileSqlOnError` is false.
const readSentence = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.message.split(' - ').at(-1) ?? '') : ''

const toErrorWithCode = (sentence: string, thrown: unknown, advice = ''): Error => {
  const code = readCode(thrown)
  return Object.assign(new Error(`jwt-auth: ${sentence} (${code})${advice}`), { code })
}

/** The code a driver gives a failure, our word for a failure without a code, or its name. */
export const readCode = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return 'unknown failure'
  if ('code' in thrown && typeof thrown.code === 'string' && thrown.code !== '') return thrown.code
  return words.get(readSentence(thrown)) ?? thrown.name
}

// pg and mysql2 give these failures no code.
const words: ReadonlyMap<string, string> = new Map([
  ['Connection terminated', 'CONNECTION_TERMINATED'],
  ['Connection terminated unexpectedly', 'CONNECTION_TERMINATED'],
  ['Client has encountered a connection error and is not queryable', 'CONNECTION_TERMINATED'],
  ['Client was closed and is not queryable', 'CONNECTION_TERMINATED'],
  ["Can't add new command when connection is in closed state", 'CONNECTION_TERMINATED'],
  ['timeout expired', 'CONNECT_TIMEOUT'],
])

/** Whether a statement failed because its table is not there. SQLite has no code of its own for it. */
export const isMissingTable = (thrown: unknown): boolean =>
  missingTable.has(readCode(thrown)) || readSentence(thrown).includes('no such table')

const isMissingColumn = (thrown: unknown): boolean =>
  missingColumn.has(readCode(thrown)) ||
  (readCode(thrown).startsWith('SQLITE_ERROR') && sqliteColumnForms.some((form) => form.test(readSentence(thrown))))
