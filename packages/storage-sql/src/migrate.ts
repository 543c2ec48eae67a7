import { requireCompatibleSchema, toStorageStatus } from '@jwt-auth/core/adapter'
import { defaultLockTimeoutMs, takeMigrationLock } from './migration-lock.js'
import { type Migration, toKnownVersion } from './migrations.js'
import { createMigrationsTable, findSchemaVersions, recordMigration } from './schema-versions.js'
import { type DialectName, isMariaDb, type SqlExecutor, type SqlQuery } from './sql-executor.js'
import { toCode, toErrorWithCode } from './storage-error.js'
import type { TableNames } from './table-names.js'

/** What {@link migrate} does. */
export interface MigrationPlan {
  /** All migrations, by ascending version. */
  readonly known: readonly Migration[]
  /** The longest wait for each lock that another process holds. @default 30_000 */
  readonly lockTimeoutMs?: number
}

/**
 * Migrates the schema to the last of the known migrations. Rejects and changes nothing when the
 * schema is too new for them.
 */
export const migrate = async (
  executor: SqlExecutor,
  names: TableNames,
  { known, lockTimeoutMs = defaultLockTimeoutMs }: MigrationPlan,
): Promise<void> => {
  const { dialect, query } = executor
  if (dialect === 'sqlite') await setUpSqlite(query)
  // Looks for pending migrations without the lock first: a service whose database user may not
  // change the schema also calls `migrate()` at its start.
  if ((await findPendingInTime(query, names, { known, lockTimeoutMs })).migrations.length === 0) return
  await executor.transaction((query) =>
    takeMigrationLock({ dialect, query }, { name: names.migrations, lockTimeoutMs, limitsWork: true }, async () => {
      await query(createMigrationsTable(names), [])
      for (const statement of await findPendingSql({ dialect, query }, names, known)) {
        await query(statement, []).catch(ignoreAdded)
      }
    }),
  )
}

/**
 * Resolves to the statements that {@link migrate} would run. Rejects when the schema is too new for
 * the known migrations.
 */
export const findPendingSql = async (
  { dialect, query }: Pick<SqlExecutor, 'dialect' | 'query'>,
  names: TableNames,
  known: readonly Migration[],
): Promise<readonly string[]> => {
  const { isNew, migrations } = await findPending(query, names, known)
  const collation = await findBinaryCollation(query, dialect)
  const statements = migrations.flatMap((migration) => [
    ...migration.write(names, dialect, collation),
    recordMigration(names, migration),
  ])
  return isNew ? [createMigrationsTable(names), ...statements] : statements
}

const added: ReadonlySet<string> = new Set(['ER_DUP_FIELDNAME', 'ER_DUP_KEYNAME'])

// MySQL commits each change of the schema by itself, and has no `add column if not exists`: an
// interrupted migration may have added the column or the index.
const ignoreAdded = (error: unknown): void => {
  if (!added.has(toCode(error))) throw error
}

// Another transaction may have locked the table of migrations.
const findPendingInTime = async (query: SqlQuery, names: TableNames, plan: Required<MigrationPlan>) => {
  const { known, lockTimeoutMs } = plan
  const signal = AbortSignal.timeout(lockTimeoutMs)
  try {
    return await findPending((text, values) => query(text, values, { signal }), names, known)
  } catch (error) {
    const sentence = `the table of migrations was not readable within ${lockTimeoutMs / 1000} s`
    const causes = '. Another transaction has locked it, or the SQL client had no connection.'
    throw signal.aborted ? toErrorWithCode(sentence, error, causes) : error
  }
}

const findPending = async (query: SqlQuery, names: TableNames, known: readonly Migration[]) => {
  const found = await findSchemaVersions(query, names)
  if (found === undefined) return { isNew: true, migrations: known }
  requireCompatibleSchema(toStorageStatus(found, toKnownVersion(known)))
  return { isNew: false, migrations: known.filter(({ schemaVersion }) => schemaVersion > found.schemaVersion) }
}

// Ids and hashes are compared byte for byte. MySQL's usual collations ignore case, accents and
// trailing spaces.
const findBinaryCollation = async (query: SqlQuery, dialect: DialectName): Promise<string> => {
  if (dialect !== 'mysql') return ''
  return (await isMariaDb(query)) ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'
}

// The value of `pragma synchronous` that waits for the disk at each commit.
const synchronousFull = 2

// The write-ahead log belongs to the file. `synchronous` belongs to each connection, and the
// application opens the connections.
const setUpSqlite = async (query: SqlQuery): Promise<void> => {
  await query('pragma journal_mode = wal', [])
  const { rows: [row] = [] } = await query('pragma synchronous', [])
  if (Number(row?.['synchronous']) >= synchronousFull) return
  process.emitWarning(
    'SQLite runs with less than `pragma synchronous = full`: a power cut can undo the last revocations.',
    { type: 'JwtAuthWarning', code: 'JWT_AUTH_SQLITE_SYNCHRONOUS' },
  )
}
