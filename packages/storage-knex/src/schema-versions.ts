import type { SchemaVersions } from '@jwt-auth/core'
import type { Dialect, Row } from './dialect.js'
import { isMissingTable } from './storage-error.js'
import type { TableNames } from './table-names.js'

/** Runs a statement without values. The result is the driver's. */
type RunStatement = (sql: string) => PromiseLike<unknown>

/** Returns the statement that creates the table with one row for each migration that ran. */
export const createMigrationsTable = ({ migrations }: TableNames): string =>
  `create table if not exists ${migrations} (version integer primary key, oldest_compatible integer not null)`

/** Returns the statement that records a migration. */
export const recordMigration = (
  { migrations }: TableNames,
  { schemaVersion, oldestCompatible }: SchemaVersions,
): string => `insert into ${migrations} (version, oldest_compatible) values (${schemaVersion}, ${oldestCompatible})`

/** Reads the versions of the schema. Resolves to `undefined` without the table of migrations. */
export const readSchemaVersions = async (
  run: RunStatement,
  { migrations }: TableNames,
  { readRows }: Dialect,
): Promise<SchemaVersions | undefined> => {
  try {
    const [row = {}] = readRows(
      await run(
        `select coalesce(max(version), 0) as version, coalesce(max(oldest_compatible), 0) as oldest from ${migrations}`,
      ),
    )
    return { schemaVersion: readVersion(row, 'version'), oldestCompatible: readVersion(row, 'oldest') }
  } catch (error) {
    if (isMissingTable(error)) return undefined
    throw error
  }
}

// A column that is missing is a failure: the application may have knex rename columns.
const readVersion = (row: Row, column: string): number => {
  const version = Number(row[column] ?? Number.NaN)
  if (Number.isSafeInteger(version)) return version
  throw new TypeError(`the column ${column} holds no version`)
}
