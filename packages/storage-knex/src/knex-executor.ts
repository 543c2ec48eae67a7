import { getMember } from '@jwt-auth/core/adapter'
import type { SqlExecutor, SqlQuery, SqlResult } from '@jwt-auth/storage-sql'
import { createStatementNames } from '@jwt-auth/storage-sql/executor'
import type { Knex } from 'knex'
import { toDialect, toResult } from './dialect.js'
import { createKnexRunner } from './knex-connections.js'

/**
 * Creates the executor of a knex instance. Sends statements without knex's query builder, which
 * takes several times as long as a statement whose text is known, and without the application's
 * `postProcessResponse`, which may rename columns. Listeners of knex's events are called.
 *
 * @param isPrepared whether each connection to PostgreSQL keeps the statements prepared, under a
 * name
 */
export const knexExecutor = (knex: Knex, isPrepared: boolean): SqlExecutor => {
  const runOnConnection = createKnexRunner(knex)
  const send = createSender(knex)
  const toName = createStatementNames()
  return {
    dialect: toDialect(knex),
    query: (sql, values, options) =>
      runOnConnection(options, (connection) => {
        const name = isPrepared ? toName(sql) : undefined
        const query = { sql, bindings: [...values], isKept: true }
        return send(connection, name === undefined ? query : { ...query, options: { name } })
      }),
    transaction: (work) => knex.transaction((transaction) => work(queryIn(transaction))),
  }
}

/** Returns the function that runs statements in a transaction. */
export const queryIn = (transaction: Knex.Transaction): SqlQuery => {
  const send = createSender(transaction)
  return async (sql, values) => send(await transaction.client.acquireConnection(), { sql, bindings: [...values] })
}

const createSender = (knex: Knex): ((connection: object, query: object) => Promise<SqlResult>) => {
  const parse = toResult[toDialect(knex)]
  return async (connection, query) =>
    parse(getMember(await knex.client.query(connection, { method: 'raw', ...query }), 'response'))
}
