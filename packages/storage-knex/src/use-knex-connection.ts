import {
  type CancelStatement,
  createConnectionUser,
  createMysqlCanceller,
  createPgCanceller,
  getMember,
  requireBackslashEscapes,
  type UseConnection,
} from '@jwt-auth/storage-sql/executor'
import type { Knex } from 'knex'
import { toResult } from './dialect.js'
import { discardConnection } from './discard-connection.js'

/** Creates the function that uses the connections of a knex instance. */
export const createKnexUser = (knex: Knex): UseConnection<object> => {
  const { client } = knex
  return createConnectionUser({
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
