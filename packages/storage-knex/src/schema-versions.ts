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
      await run(`select max(version) as version, max(oldest_compatible) as oldest_compatible from ${migrations}`),
    )
    return { schemaVersion: readVersion(row, 'version'), oldestCompatible: readVersion(row, 'oldest_compatible') }
  } catch (error) {
    if (isMissingTable(error)) return undefined
    throw error
  }
}

// The maximum of an empty table is null.
const readVersion = (row: Row, column: string): number => {
  const version = Number(row[column] ?? 0)
  if (Number.isSafeInteger(version)) return version
  throw new TypeError(`the column ${column} holds no version`)
}
