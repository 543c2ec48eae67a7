import type { Knex } from 'knex'
import { type Dialect, dialectOf } from '../dialect.js'
import { sessionsTable } from '../statements.js'

/** Creates the table of sessions. */
export const createSessions = async (transaction: Knex.Transaction): Promise<void> => {
  const dialect = dialectOf(transaction)
  const collation = await findBinaryCollation(transaction, dialect)
  // A crash on MySQL may have left the table without the note that it was made.
  if (await transaction.schema.hasTable(sessionsTable)) return
  await transaction.schema.createTable(sessionsTable, (table) => {
    if (collation !== undefined) {
      table.charset('utf8mb4')
      table.collate(collation)
    }
    table.string('id', 64).primary()
    table.string('user_id', 512).notNullable()
    table.string('selector_hash', 64).notNullable().unique()
    table.string('verifier_hash', 64).notNullable()
    table.text('recent_verifiers').notNullable()
    table.bigInteger('created_at').notNullable()
    table.bigInteger('rotated_at').notNullable()
    table.bigInteger('last_used_at').notNullable()
    table.bigInteger('idle_expires_at').notNullable().index()
    table.bigInteger('absolute_expires_at').notNullable().index()
    table.bigInteger('ended_at').index()
    table.string('end_reason', 64)
    table.string('credential_version', 255)
    table.string('user_agent', 512)
    table.string('ip_address', 64)
    table.string('label', 255)
    table.index(['user_id', 'created_at'])
  })
}

// Ids and hashes are compared byte for byte: MySQL's usual collations ignore case, accents and trailing spaces.
const findBinaryCollation = async (
  transaction: Knex.Transaction,
  { name, readRows }: Dialect,
): Promise<string | undefined> => {
  if (name !== 'mysql') return undefined
  const [row] = readRows(await transaction.raw('select version() as version'))
  return String(row?.['version']).includes('MariaDB') ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin'
}
