import type { Knex } from 'knex'
import { withMigrationLock } from './migration-lock.js'
import { createSessions } from './migrations/create-sessions.js'

// Not knex's own table: that one is the host's.
const migrationsTable = 'jwt_auth_migrations'

interface Migration {
  readonly name: string
  readonly run: (transaction: Knex.Transaction) => Promise<void>
}

/** In the order in which they run. A migration that was published is never changed. */
const migrations: readonly Migration[] = [{ name: '0001-create-sessions', run: createSessions }]

/** Brings the schema up to this version. */
export const migrate = (knex: Knex): Promise<void> =>
  withMigrationLock(knex, migrationsTable, async (transaction) => {
    const done = await readDone(transaction)
    for (const { name, run } of migrations.filter((migration) => !done.has(migration.name))) {
      await run(transaction)
      await transaction(migrationsTable).insert({ name })
    }
  })

const readDone = async (transaction: Knex.Transaction): Promise<ReadonlySet<string>> => {
  if (!(await transaction.schema.hasTable(migrationsTable))) {
    await transaction.schema.createTable(migrationsTable, (table) => {
      table.string('name', 255).primary()
    })
  }
  return new Set(await transaction(migrationsTable).pluck('name'))
}
