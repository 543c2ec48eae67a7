import type { SqlExecutor, SqlQuery } from '@jwt-auth/storage-sql'
import { createPooledExecutor } from '@jwt-auth/storage-sql/executor'
import { createConnectionRunner } from '@jwt-auth/storage-sql/internal'
import type { Knex } from 'knex'
import { requireSupported } from './dialect.js'
import { createKnexClient } from './knex-client.js'

/**
 * Creates the executor of a knex instance. Sends statements without knex's query builder, which
 * takes several times as long as a statement whose text is known, and without the application's
 * `postProcessResponse`, which may rename columns. Listeners of knex's events are called.
 *
 * @param isPrepared whether each connection to PostgreSQL keeps the statements prepared, under a
 * name
 */
export const knexExecutor = (knex: Knex, isPrepared: boolean): SqlExecutor => {
  requireSupported(knex)
  const executor = createPooledExecutor(createKnexClient(knex, isPrepared))
  if (knex.isTransaction !== true) return executor
  // Inside a transaction of the application, knex makes a savepoint.
  const transaction: SqlExecutor['transaction'] = (work) => knex.transaction((inner) => work(queryIn(inner)))
  return { ...executor, isInTransaction: true, transaction }
}

/**
 * Creates the function that runs work in a transaction, on a connection on which nobody else has
 * left one open.
 */
export const createTransact = (knex: Knex) => {
  const runOnConnection = createConnectionRunner(createKnexClient(knex))
  return <T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> =>
    runOnConnection(undefined, (connection) => knex.transaction(work, { connection }))
}

/** Returns the function that runs statements in a transaction. */
export const queryIn = (transaction: Knex.Transaction): SqlQuery => {
  const { acquire, send } = createKnexClient(transaction)
  return async (sql, values) => send(await acquire(), sql, values)
}
