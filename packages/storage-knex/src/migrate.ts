import { requireCompatibleSchema, toStorageStatus } from '@jwt-auth/core/adapter'
import type { Knex } from 'knex'
import { type Dialect, toDialect } from './dialect.js'
import { withMigrationLock } from './migration-lock.js'
import { type Migration, toKnownVersion } from './migrations/migrations.js'
import { createMigrationsTable, findSchemaVersions, recordMigration } from './schema-versions.js'
import type { TableNames } from './table-names.js'

/** Migrates the schema to the last of the known migrations. Rejects and changes nothing when the schema is too new for them. */
export const migrate = async (knex: Knex, names: TableNames, known: readonly Migration[]): Promise<void> => {
  if (toDialect(knex).name === 'sqlite') await setUpSqlite(knex)
  // Without the lock first: a service whose database user may not change the schema also calls `migrate()` at its start.
  if ((await findPending(knex, names, known)).migrations.length === 0) return
  await withMigrationLock(knex, names.migrations, async (transaction) => {
    await transaction.raw(createMigrationsTable(names))
    for (const statement of await findPendingSql(transaction, names, known)) await transaction.raw(statement)
  })
}

/** Resolves to the statements that {@link migrate} would run. Rejects when the schema is too new for the known migrations. */
export const findPendingSql = async (
  knex: Knex,
  names: TableNames,
  known: readonly Migration[],
): Promise<readonly string[]> => {
  const dialect = toDialect(knex)
  const { isNew, migrations } = await findPending(knex, names, known)
  const collation = await findBinaryCollation(knex, dialect)
  const statements = migrations.flatMap((migration) => [
    ...migration.write(names, dialect.name, collation),
    recordMigration(names, migration),
  ])
  return isNew ? [createMigrationsTable(names), ...statements] : statements
}

const findPending = async (
  knex: Knex,
  names: TableNames,
  known: readonly Migration[],
): Promise<{ readonly isNew: boolean; readonly migrations: readonly Migration[] }> => {
  const found = await findSchemaVersions((sql) => knex.raw(sql), names, toDialect(knex))
  if (found === undefined) return { isNew: true, migrations: known }
  requireCompatibleSchema(toStorageStatus(found, toKnownVersion(known)))
  return { isNew: false, migrations: known.filter(({ schemaVersion }) => schemaVersion > found.schemaVersion) }
}

// Ids and hashes are compared byte for byte. MySQL's usual collations ignore case, accents and trailing spaces.
const findBinaryCollation = async (knex: Knex, { name, parseRows }: Dialect): Promise<string> => {
  if (name !== 'mysql') return ''
  const [row] = parseRows(await knex.raw('select version() as version'))
  return String(row?.['version']).includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'
}

// The value of `pragma synchronous` that waits for the disk at each commit.
const synchronousFull = 2

// The write-ahead log belongs to the file. `synchronous` belongs to each connection, and the application opens the connections.
const setUpSqlite = async (knex: Knex): Promise<void> => {
  await knex.raw('pragma journal_mode = wal')
  const [row] = await knex.raw('pragma synchronous')
  if (Number(row?.synchronous) >= synchronousFull) return
  process.emitWarning(
    'SQLite runs with less than `pragma synchronous = full`: a power cut can undo the last revocations.',
    { type: 'JwtAuthWarning', code: 'JWT_AUTH_SQLITE_SYNCHRONOUS' },
  )
}
