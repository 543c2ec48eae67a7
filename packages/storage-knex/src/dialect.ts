import { callError, describeValue, getMember, usageError } from '@jwt-auth/core/internal'
import type { SqlResult } from '@jwt-auth/storage-sql'
import type { DialectName } from '@jwt-auth/storage-sql/internal'
import type { Knex } from 'knex'

/** The name of a dialect, by knex's name. */
const dialects: Readonly<Record<string, DialectName>> = { sqlite3: 'sqlite', postgresql: 'postgresql', mysql: 'mysql' }

/**
 * Returns the dialect of a knex instance. `knexUsers` also reads databases that the storage does
 * not support: there, as on SQLite, no connection is checked and no statement is cancelled.
 */
export const toDialect = ({ client }: Knex): DialectName => dialects[String(client.dialect)] ?? 'sqlite'

/** Throws a `TypeError` for a database or a driver that the storage does not support. */
export const requireSupported = ({ client }: Knex): void => {
  if (client.driverName === 'sqlite3') {
    throw usageError(
      'knexStorage',
      'the driver sqlite3 does not report how many rows a statement changed; use sqliteConfig(file) or better-sqlite3.',
    )
  }
  if (Object.hasOwn(dialects, String(client.dialect))) return
  throw usageError(
    'knexStorage',
    `the supported databases are SQLite, PostgreSQL, MySQL and MariaDB; received knex for ${client.dialect}.`,
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
  throw callError(caller, `must be given a knex instance, as in ${example}; received ${describeValue(knex)}.`)
}
