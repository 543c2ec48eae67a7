import type { Knex } from 'knex'
import { type Dialect, type DialectName, dialectOf } from './dialect.js'
import { withMigrationLock } from './migration-lock.js'
import { createLimits } from './migrations/create-limits.js'
import { createSessions } from './migrations/create-sessions.js'
import { setUpSqlite } from './sqlite-settings.js'
import { isMissingTable } from './storage-error.js'
import type { TableNames } from './table-names.js'

interface Migration {
  readonly name: string
  readonly write: (names: TableNames, dialect: DialectName, collation: string) => readonly string[]
}

/**
 * In the order in which they run. A migration that was published is never changed, and only adds: an older version may
 * still run beside the one that migrates.
 */
const migrations: readonly Migration[] = [
  {
    name: '0001-create-tables',
    write: (...table) => [...createSessions(...table), ...createLimits(...table)],
  },
]

/** Brings the schema up to this version. */
export const migrate = async (knex: Knex, names: TableNames): Promise<void> => {
  const dialect = dialectOf(knex)
  if (dialect.name === 'sqlite') await setUpSqlite(knex)
  if (await isUpToDate(knex, names)) return
  await withMigrationLock(knex, names.migrations, async (transaction) => {
    await transaction.raw(createMigrations(names))
    const collation = await findBinaryCollation(transaction, dialect)
    for (const { name, write } of await findPending(transaction, names)) {
      for (const statement of write(names, dialect.name, collation)) await transaction.raw(statement)
      await transaction.raw(noteMigration(names), [name])
    }
  })
}

// A service whose own database user may not change schemas still calls `migrate()` at its start.
const isUpToDate = async (knex: Knex, names: TableNames): Promise<boolean> =>
  (await hasMigrations(knex, names)) && (await findPending(knex, names)).length === 0

/** What {@link migrate} would run. */
export const findPendingSql = async (knex: Knex, names: TableNames): Promise<readonly string[]> => {
  const dialect = dialectOf(knex)
  const collation = await findBinaryCollation(knex, dialect)
  const isNew = !(await hasMigrations(knex, names))
  const pending = isNew ? migrations : await findPending(knex, names)
  const statements = pending.flatMap(({ name, write }) => [
    ...write(names, dialect.name, collation),
    noteMigration(names).replace('?', `'${name}'`),
  ])
  return isNew ? [createMigrations(names), ...statements] : statements
}

const createMigrations = ({ migrations: table }: TableNames): string =>
  `create table if not exists ${table} (name varchar(255) primary key)`

const noteMigration = ({ migrations: table }: TableNames): string => `insert into ${table} (name) values (?)`

const findPending = async (knex: Knex, names: TableNames): Promise<readonly Migration[]> => {
  const rows = dialectOf(knex).readRows(await knex.raw(`select name from ${names.migrations}`))
  const done = new Set(rows.map((row) => row['name']))
  return migrations.filter(({ name }) => !done.has(name))
}

const hasMigrations = async (knex: Knex, names: TableNames): Promise<boolean> => {
  try {
    await knex.raw(`select name from ${names.migrations} where 1 = 0`)
    return true
  } catch (error) {
    if (isMissingTable(error)) return false
    throw error
  }
}

// Ids and hashes are compared byte for byte: MySQL's usual collations ignore case, accents and trailing spaces.
const findBinaryCollation = async (knex: Knex, { name, readRows }: Dialect): Promise<string> => {
  if (name !== 'mysql') return ''
  const [row] = readRows(await knex.raw('select version() as version'))
  return String(row?.['version']).includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'
}
