import type { CallOptions, SchemaVersions, StorageStatus } from '@jwt-auth/core'
import { toStorageStatus } from '@jwt-auth/core/adapter'
import type { Dialect, Row } from './dialect.js'
import type { SendStatement } from './query-runner.js'
import { isMissingTable, toStorageError } from './storage-error.js'
import type { TableNames } from './table-names.js'

/**
 * Returns the statement that creates the table of migrations, which has one row for each migration that ran
 * (docs/decisions/0034).
 */
export const createMigrationsTable = ({ migrations }: TableNames): string =>
  `create table if not exists ${migrations} (version integer primary key, oldest_compatible integer not null)`

/** Returns the statement that records a migration. */
export const recordMigration = (
  { migrations }: TableNames,
  { schemaVersion, oldestCompatible }: SchemaVersions,
): string => `insert into ${migrations} (version, oldest_compatible) values (${schemaVersion}, ${oldestCompatible})`

/** Finds the versions of the schema. Resolves to `undefined` when the table of migrations does not exist. */
export const findSchemaVersions = async (
  run: (sql: string) => PromiseLike<unknown>,
  { migrations }: TableNames,
  { parseRows }: Dialect,
): Promise<SchemaVersions | undefined> => {
  try {
    const [row = {}] = parseRows(
      await run(
        `select coalesce(max(version), 0) as version, coalesce(max(oldest_compatible), 0) as oldest from ${migrations}`,
      ),
    )
    return { schemaVersion: parseVersion(row, 'version'), oldestCompatible: parseVersion(row, 'oldest') }
  } catch (error) {
    if (isMissingTable(error)) return undefined
    throw error
  }
}

// A missing column is a failure: the application may have configured knex to rename columns.
const parseVersion = (row: Row, column: string): number => {
  const version = Number(row[column] ?? Number.NaN)
  if (Number.isSafeInteger(version)) return version
  throw new TypeError(`the column ${column} holds no version`)
}

const noTables: SchemaVersions = { schemaVersion: 0, oldestCompatible: 0 }

/** The tables of a storage, and the newest schema version that this code knows. */
interface KnownSchema {
  readonly names: TableNames
  readonly knownVersion: number
}

/** Creates the method `status` of a storage. */
export const createStatusMethod =
  (
    dialect: Dialect,
    sendStatement: SendStatement,
    { names, knownVersion }: KnownSchema,
  ): ((options?: CallOptions) => Promise<StorageStatus>) =>
  async ({ signal } = {}) => {
    const run = (sql: string) => sendStatement({ sql, values: [] }, signal)
    try {
      return toStorageStatus((await findSchemaVersions(run, names, dialect)) ?? noTables, knownVersion)
    } catch (thrown) {
      const error = toStorageError('read the schema version', thrown)
      return { isReachable: false, isReady: false, knownVersion, error }
    }
  }
