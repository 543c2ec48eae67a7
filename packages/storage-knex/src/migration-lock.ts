import { takeMigrationLock } from '@jwt-auth/storage-sql/internal'
import type { Knex } from 'knex'
import { toDialect } from './dialect.js'
import { createTransact, queryIn } from './knex-executor.js'

/**
 * Runs schema work that only one process may do at a time, in a transaction. On MySQL and MariaDB
 * each change of the schema commits the transaction. Other processes wait for at most 30 seconds.
 * On SQLite every name locks the whole file, and waiting blocks the event loop of the process.
 *
 * @param name the name of the lock; processes with other names do not wait
 * @returns the result of `work`
 * @throws Error that names the holder of the lock, when the lock is still held after 30 seconds
 *
 * @example
 * ```ts
 * await withMigrationLock(knex, 'my-site', async (transaction) => {
 *   if (await transaction.schema.hasTable('users')) return
 *   await transaction.schema.createTable('users', (columns) => columns.integer('id').primary())
 * })
 * ```
 */
export const withMigrationLock = <T>(
  knex: Knex,
  name: string,
  work: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> =>
  createTransact(knex)((transaction) => {
    const connection = { dialect: toDialect(knex), query: queryIn(transaction) }
    return takeMigrationLock(connection, { name }, () => work(transaction))
  })
