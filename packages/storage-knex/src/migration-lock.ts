import type { Knex } from 'knex'
import { dialectOf } from './dialect.js'

const longestWaitSeconds = 30

/**
 * Runs schema work that only one process may do at a time, in a transaction where the database has transactions for
 * schemas. Others wait up to half a minute, on SQLite with their event loop standing still. `name` is what they wait for;
 * on SQLite, where the file is locked, everybody waits.
 *
 * @example await withMigrationLock(knex, 'my-site', async (transaction) => { … })
 */
export const withMigrationLock = <T>(
  knex: Knex,
  name: string,
  work: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> =>
  knex.transaction(async (transaction) => {
    switch (dialectOf(knex).name) {
      case 'sqlite':
        await beginImmediate(transaction)
        return work(transaction)
      case 'postgresql':
        await transaction.raw('select pg_advisory_xact_lock(hashtext(?))', [name])
        return work(transaction)
      case 'mysql':
        return withNamedLock(transaction, name, work)
    }
  })

// knex begins a deferred transaction, which can fail when it first writes; an immediate one owns the file from its start.
const beginImmediate = async (transaction: Knex.Transaction): Promise<void> => {
  const [{ timeout }] = await transaction.raw('pragma busy_timeout')
  await transaction.raw('commit')
  await transaction.raw(`pragma busy_timeout = ${longestWaitSeconds * 1000}`)
  try {
    await transaction.raw('begin immediate')
  } catch (error) {
    // knex rolls back what it believes it began.
    await transaction.raw('begin')
    throw error
  } finally {
    await transaction.raw(`pragma busy_timeout = ${Number(timeout)}`)
  }
}

// MySQL commits at each change of the schema; a named lock belongs to the connection and outlives that.
const withNamedLock = async <T>(
  transaction: Knex.Transaction,
  name: string,
  work: (transaction: Knex.Transaction) => Promise<T>,
): Promise<T> => {
  const [[row]] = await transaction.raw('select get_lock(?, ?) as taken', [name, longestWaitSeconds])
  if (row.taken !== 1) throw new Error(`jwt-auth: another process holds the migration lock "${name}".`)
  try {
    return await work(transaction)
  } finally {
    await transaction.raw('do release_lock(?)', [name])
  }
}
