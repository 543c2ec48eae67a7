import { requireCompatibleSchema, toStorageStatus } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { type Dialect, dialectOf } from './dialect.js'
import { withMigrationLock } from './migration-lock.js'
import { knownVersion, type Migration } from './migrations/migrations.js'
import { createMigrationsTable, readSchemaVersions, recordMigration } from './schema-versions.js'
import { setUpSqlite } from './sqlite-settings.js'
import type { TableNames } from './table-names.js'

/** Brings the schema up to the last of the known migrations. Rejects, and changes nothing, when the schema is too new for them. */
export const migrate = async (knex: Knex, names: TableNames, known: readonly Migration[]): Promise<void> => {
  if (dialectOf(knex).name === 'sqlite') await setUpSqlite(knex)
  // Without the lock: a service whose own database user may not change schemas still calls `migrate()` at its start.
  if ((await findPending(knex, names, known)).migrations.length === 0) return
  await withMigrationLock(knex, names.migrations, async (transaction) => {
    await transaction.raw(createMigrationsTable(names))
    for (const statement of await findPendingSql(transaction, names, known)) await transaction.raw(statement)
  })
}

/** Returns the statements that {@link migrate} would run. Rejects when the schema is too new for the known migrations. */
export const findPendingSql = async (
  knex: Knex,
  names: TableNames,
  known: readonly Migration[],
): Promise<readonly string[]> => {
  const dialect = dialectOf(knex)
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
  const found = await readSchemaVersions((sql) => knex.raw(sql), names, dialectOf(knex))
  if (found === undefined) return { isNew: true, migrations: known }
  requireCompatibleSchema(toStorageStatus(found, knownVersion(known)))
  return { isNew: false, migrations: known.filter(({ schemaVersion }) => schemaVersion > found.schemaVersion) }
}

// Ids and hashes are compared byte for byte: MySQL's usual collations ignore case, accents and trailing spaces.
const findBinaryCollation = async (knex: Knex, { name, readRows }: Dialect): Promise<string> => {
  if (name !== 'mysql') return ''
  const [row] = readRows(await knex.raw('select version() as version'))
  return String(row?.['version']).includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'
}
