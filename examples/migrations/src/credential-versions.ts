import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'

/**
 * Adds a credential version to all users, which `rehash` needs: a session ends when this column changes, and not when a login
 * replaces an old hash. Set new random text with each new password.
 */
export const addCredentialVersions = async (database: Knex, table: string): Promise<void> => {
  await database.schema.alterTable(table, (columns) => {
    columns.string('credential_version', 64)
  })
  for (const { id } of await database(table).select('id')) {
    await database(table).where({ id }).update({ credential_version: randomUUID() })
  }
}
