import type { CallOptions, StorageStatus } from '@jwt-auth/core'
import { type SchemaVersions, toStorageStatus } from '@jwt-auth/core/adapter'
import type { ReachableStatus } from '@jwt-auth/core/internal'
import { requireRows } from './query-runner.js'
import { columns } from './session-row.js'
import type { DialectName, Row, SqlExecutor, SqlQuery } from './sql-executor.js'
import { adviseOnSchema, findMissingColumn, isMissingTable, toErrorWithCode } from './storage-error.js'
import type { TableNames } from './table-names.js'

/**
 * Returns the statement that creates the table of migrations, which has one row for each migration
 * that ran (docs/design/sql.md).
 */
export const createMigrationsTable = ({ migrations }: TableNames): string =>
  `create table if not exists ${migrations} (version integer primary key, oldest_compatible integer not null)`

/** Returns the statement that records a migration. */
export const recordMigration = (
  { migrations }: TableNames,
  { schemaVersion, oldestCompatible }: SchemaVersions,
): string => `insert into ${migrations} (version, oldest_compatible) values (${schemaVersion}, ${oldestCompatible})`

/**
 * Finds the versions of the schema. Resolves to `undefined` when the table of migrations does not
 * exist.
 */
export const findSchemaVersions = async (
  query: SqlQuery,
  { migrations }: TableNames,
  options?: CallOptions,
): Promise<SchemaVersions | undefined> => {
  try {
    const text = `select coalesce(max(version), 0) as version, coalesce(max(oldest_compatible), 0) as oldest from ${migrations}`
    const [row = {}] = requireRows((await query(text, [], options)).rows)
    return { schemaVersion: parseVersion(row, 'version'), oldestCompatible: parseVersion(row, 'oldest') }
  } catch (error) {
    if (isMissingTable(error)) return undefined
    throw error
  }
}

// A missing column is a failure: the application may have configured its client to rename columns.
const parseVersion = (row: Row, column: string): number => {
  const version = Number(row[column] ?? Number.NaN)
  if (Number.isSafeInteger(version)) return version
  throw new TypeError(`the column ${column} holds no version`)
}

const noTables: SchemaVersions = { schemaVersion: 0, oldestCompatible: 0 }

/**
 * Creates the method `status` of a storage.
 *
 * @param knownVersion the newest schema version that this code knows
 */
export const createStatusMethod =
  ({ dialect, query }: SqlExecutor, names: TableNames, knownVersion: number) =>
  async (options?: CallOptions): Promise<StorageStatus> => {
    try {
      const versions = (await findSchemaVersions(query, names, options)) ?? noTables
      const server = await askServer({ dialect, query }, names, options)
      const status = toStorageStatus({ ...versions, ...server }, knownVersion)
      if (status.isReady) await query(selectNothing(names), [], options)
      return status
    } catch (thrown) {
      const fix = `migrate() cannot add ${findMissingColumn(thrown) ?? 'it'} at this schema version; restore it by hand`
      const advice = adviseOnSchema(thrown, 'its table', fix)
      const error = toErrorWithCode('the SQL storage could not read the schema', thrown, advice)
      return { isReachable: false, isReady: false, knownVersion, error }
    }
  }

/** Returns the select that fails if a table or a column of the sessions is missing. */
const selectNothing = ({ sessions, limits }: TableNames): string =>
  `select ${columns.join(', ')}, purgeable_at, (select max(ends_at) from ${limits}) from ${sessions} where 1 = 0`

// Needs no rights. Another server started at another microsecond. Only the number of the table says
// which schema of the search path contains it.
const writePostgresql = ({ sessions }: TableNames): string =>
  `select current_setting('transaction_read_only') as readonly, concat_ws('/', extract(epoch from pg_postmaster_start_time()), current_database(), to_regclass('${sessions}')::oid) as store`

// The timeline of PostgreSQL grows at each promotion. MariaDB has no `server_uuid`, and ignores the
// comment.
const writeServerStatement: Readonly<Record<DialectName, (names: TableNames) => string>> = {
  sqlite: ({ schema = 'main' }) =>
    `select 0 as readonly, file as id from pragma_database_list where lower(name) = '${schema.toLowerCase()}'`,
  postgresql: (names) => `${writePostgresql(names)}, case when not pg_is_in_recovery() then
    (select system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '/' || current_database() from pg_control_system()) end as id`,
  mysql: ({ schema }) =>
    `select greatest(@@global.read_only, @@innodb_read_only) as readonly, concat_ws('/', @@hostname, @@port, @@server_id /*!50700, @@server_uuid */, ${schema ? `'${schema}'` : 'database()'}) as id`,
}

/** Finds the identities of the database and the tables, and whether the database accepts writes. */
const askServer = async (
  { dialect, query }: Pick<SqlExecutor, 'dialect' | 'query'>,
  names: TableNames,
  options?: CallOptions,
): Promise<Pick<ReachableStatus, 'error' | 'primary' | 'store'>> => {
  // On PostgreSQL, the rights to find the identity may be missing.
  const askLess = () => (dialect === 'postgresql' ? query(writePostgresql(names), [], options) : { rows: [] })
  const { rows: [row] = [] } = await query(writeServerStatement[dialect](names), [], options).catch(askLess)
  const isReadOnly = /^(1|on)$/i.test(String(row?.['readonly']))
  const primary = row?.['id'] ? String(row['id']) : undefined
  const server = row?.['store'] ?? primary
  // SQLite ignores the case of the names of tables.
  const store = server === undefined ? undefined : `${server}/${names.bare.toLowerCase()}`
  return { primary, store, error: isReadOnly ? readOnlyError : undefined }
}

const readOnlyError = new Error(
  'jwt-auth: the database accepts no writes; connect to the primary, and remove `default_transaction_read_only` (PostgreSQL) or `read_only` (MySQL, MariaDB).',
)
