import type { HoldBackend } from '@jwt-auth/storage-conformance'
import type { Knex } from 'knex'
import type { DatabaseServer } from './databases.js'

const locks: Record<DatabaseServer['name'], string> = {
  // The transaction itself has the only connection of the pool.
  SQLite: 'select 1',
  PostgreSQL: 'lock table jwt_auth_sessions in access exclusive mode',
  MariaDB: 'lock tables jwt_auth_sessions write',
}

/** Holds the sessions: another connection locks the table or, on SQLite, a transaction of the application occupies the pool. */
export const holdSessions =
  (name: DatabaseServer['name'], knex: Knex): HoldBackend =>
  async () => {
    const transaction = await knex.transaction()
    await transaction.raw(locks[name])
    return async () => {
      if (name === 'MariaDB') await transaction.raw('unlock tables')
      await transaction.rollback()
    }
  }
