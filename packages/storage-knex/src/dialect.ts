import { describeValue, getMember, usageError } from '@jwt-auth/core/adapter'
import type { DialectName, SqlResult } from '@jwt-auth/storage-sql'
import type { Knex } from 'knex'

/** The name of a dialect, by knex's name. */
const dialects: Readonly<Record<string, DialectName>> = { sqlite3: 'sqlite', postgresql: 'postgresql', mysql: 'mysql' }

/**
 * Returns the dialect of a knex instance. Throws a `TypeError` for a database that is not
 * supported.
 */
export const toDialect = (knex: Knex): DialectName => {
  if (knex.client.driverName === 'sqlite3') {
    throw usageError(
      'knexStorage',
      'the driver sqlite3 does not report how many rows a statement changed; use libsqlConfig(file) or better-sqlite3.',
    )
  }
  const name = String(knex.client.dialect)
  const dialect = dialects[name]
  if (dialect !== undefined) return dialect
  throw usageError(
    'knexStorage',
    `the supported databases are SQLite, PostgreSQL, MySQL and MariaDB; received knex for ${name}.`,
  )
}

/** Converts the response of a driver, by the dialect. */
export const toResult: Readonly<Record<DialectName, (response: unknown) => SqlResult>> = {
  sqlite: (response) => createResult(response, getMember(response, 'changes')),
  postgresql: (response) => createResult(getMember(response, 'rows'), getMember(response, 'rowCount')),
  mysql: (response) => createResult(getMember(response, 0), getMember(getMember(response, 0), 'affectedRows')),
}

const createResult = (rows: unknown, changedRows: unknown): SqlResult => ({
  rows: Array.isArray(rows) ? rows : undefined,
  changedRows: typeof changedRows === 'number' ? changedRows : undefined,
})

/**
 * Checks that a value is a knex instance.
 *
 * @throws TypeError that names the function and the fix
 */
export const requireKnex = (caller: string, knex: Knex): void => {
  if (typeof knex?.raw === 'function') return
  const example = `\`${caller}(knex({ client, connection }))\``
  throw usageError(
    caller,
    `${caller} must be given a knex instance, as in ${example}; received ${describeValue(knex)}.`,
  )
}
