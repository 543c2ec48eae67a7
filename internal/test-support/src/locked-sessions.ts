import type { HoldBackend } from '@jwt-auth/storage-conformance'
import type { SqlStorage } from '@jwt-auth/storage-sql'
import type { Knex } from 'knex'
import type { DatabaseServer } from './databases.js'

const statements: Record<DatabaseServer['name'], string> = {
  SQLite: '',
  PostgreSQL:
    "select query from pg_stat_activity where query ~ '^(insert|update|delete)' and state = 'active' and datname = current_database()",
  MariaDB:
    "select info from information_schema.processlist where info regexp '^(insert|update|delete)' and db = database()",
}

/**
 * Runs work while a transaction of another connection locks the rows of all sessions. Undoes the
 * transaction in any case.
 */
export const whileSessionsLocked = async <T>(knex: Knex, work: () => Promise<T>): Promise<T> => {
  const lock = await knex.transaction()
  try {
    await lock('jwt_auth_sessions').update({ label: 'locked' })
    return await work()
  } finally {
    await lock.rollback()
  }
}

/** Finds the writes that a server runs now in the database of a connection. */
export const findWrites = async (name: DatabaseServer['name'], knex: Knex): Promise<unknown> => {
  const result: unknown = await knex.raw(statements[name])
  return name === 'PostgreSQL' ? Reflect.get(Object(result), 'rows') : Reflect.get(Object(result), 0)
}

/**
 * Options of a poll that must fail if nothing cancels the writes. MySQL and MariaDB themselves end
 * a statement that has waited for a row for 50 seconds (`innodb_lock_wait_timeout`).
 */
export const beforeLockWaitTimeout = { timeout: 30_000 }

const locks: Record<DatabaseServer['name'], (table: string) => string> = {
  // The transaction itself has the only connection of the pool.
  SQLite: () => 'select 1',
  PostgreSQL: (table) => `lock table ${table} in access exclusive mode`,
  MariaDB: (table) => `lock tables ${table} write`,
}

/**
 * Creates storages to hold, each with a table of its own, for as many cases: an aborted write can
 * take effect after its case. Migrate them first.
 */
export const createHeldStorages = (create: (table: string) => SqlStorage, hold: (table: string) => HoldBackend) => {
  const held = ['held_1', 'held_2'].map((table) => [create(table), hold(table)] as const)
  const unused = held.values()
  return {
    migrate: async (): Promise<void> => {
      for (const [storage] of held) await storage.migrate()
    },
    takeHeld: () => {
      const { value } = unused.next()
      if (value === undefined) throw new Error('More cases hold a storage: add names of tables.')
      return value
    },
  }
}

/**
 * Holds a table: another connection locks it or, on SQLite, a transaction of the application
 * occupies the pool.
 */
export const holdTable =
  (name: DatabaseServer['name'], knex: Knex) =>
  (table: string): HoldBackend =>
  async () => {
    const transaction = await knex.transaction()
    await transaction.raw(locks[name](table))
    return async () => {
      if (name === 'MariaDB') await transaction.raw('unlock tables')
      await transaction.rollback()
    }
  }
