import { getMember } from '@jwt-auth/core/adapter'
import {
  type CancelStatement,
  createConnectionRunner,
  createMysqlCanceller,
  createPgCanceller,
  isBusy,
  type RunOnConnection,
  requireBackslashEscapes,
} from '@jwt-auth/storage-sql/executor'
import type { Knex } from 'knex'
import { toResult } from './dialect.js'

/** Creates the function that runs queries on the connections of a knex instance. */
export const createKnexRunner = (knex: Knex): RunOnConnection<object> => {
  const { client } = knex
  return createConnectionRunner({
    acquire: (): Promise<object> => client.acquireConnection(),
    release: (connection, discardReason) => {
      if (discardReason !== undefined) discardConnection(connection, discardReason)
      return client.releaseConnection(connection)
    },
    check: client.dialect === 'mysql' ? (connection) => requireBackslashEscapes(query(client, connection)) : undefined,
    cancel: cancelOn[String(client.dialect)]?.(client),
  })
}

const query = (client: Knex.Client, connection: object) => async (sql: string) =>
  toResult.mysql(getMember(await client.query(connection, { method: 'raw', sql, bindings: [] }), 'response'))

// By knex's name of the dialect. SQLite has none: it runs each statement in one synchronous call.
const cancelOn: Readonly<Record<string, (client: Knex.Client) => CancelStatement<object>>> = {
  postgresql: (client) =>
    createPgCanceller(() => client.driver.Connection, getMember(client.connectionSettings, 'stream')),
  mysql: (client) => createMysqlCanceller(() => client.driver.Connection),
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
