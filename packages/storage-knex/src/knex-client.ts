import { getMember, hasMethod } from '@jwt-auth/core/internal'
import type { PooledClient } from '@jwt-auth/storage-sql/executor'
import {
  type CancelStatement,
  createMysqlCanceller,
  createPgCanceller,
  createStatementNames,
  type DialectName,
  ignoreErrors,
  isBusy,
} from '@jwt-auth/storage-sql/internal'
import type { Knex } from 'knex'
import { toDialect, toResult } from './dialect.js'

/** Creates the client of the connections of a knex instance. */
export const createKnexClient = (knex: Knex, isPrepared = false): PooledClient<object> => {
  const { client } = knex
  const dialect = toDialect(knex)
  const pool: unknown = client.config.connectionPool
  // knex itself listens to the connections that it opens, but not to those of a pool of `pg`.
  if (!knex.isTransaction && hasMethod(pool, 'on')) {
    pool.on('connect', ignoreErrors)
    ignoreErrors(pool)
  }
  const toName = isPrepared ? createStatementNames() : () => undefined
  return {
    dialect,
    isInTransaction: knex.isTransaction ? async () => false : undefined,
    acquire: () => client.acquireConnection(),
    release: (connection, discardReason) => {
      if (discardReason !== undefined) discardConnection(connection, discardReason)
      return client.releaseConnection(connection)
    },
    cancel: createCanceller[dialect](client),
    send: async (connection, sql, values) => {
      const name = toName(sql)
      const query = { method: 'raw', sql, bindings: [...values], isKept: knex.isTransaction !== true }
      const sent = await client.query(connection, name === undefined ? query : { ...query, options: { name } })
      return toResult[dialect](getMember(sent, 'response'))
    },
  }
}

const createCanceller: Readonly<Record<DialectName, (client: Knex.Client) => CancelStatement<object> | undefined>> = {
  // SQLite runs each statement in one synchronous call.
  sqlite: () => undefined,
  postgresql: ({ driver, connectionSettings }) =>
    createPgCanceller(() => driver.Connection, getMember(connectionSettings, 'stream')),
  mysql: ({ driver }) => createMysqlCanceller(() => driver.Connection),
}

/** Marks a connection. knex's pool destroys a marked connection instead of handing it out again. */
const discardConnection = (connection: object, reason: unknown): void => {
  Object.assign(connection, { __knex__disposed: reason })
}

/**
 * Discards a SQLite connection whose statement failed because of a lock. The reason is in
 * libsql.ts.
 */
export const discardAfterLock = (connection: object, error: unknown): void => {
  if (isBusy(error)) discardConnection(connection, 'one of its statements failed because of a lock')
}
