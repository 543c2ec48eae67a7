import type { Knex } from 'knex'
import { memberOf } from './dialect.js'
import { discardAfterLock } from './discard-connection.js'

/** The part of a knex instance that the limiters of rate-limiter-flexible use. */
export interface LimiterClient {
  readonly raw: Knex['raw']
  readonly client: {
    readonly config: { readonly client: string }
    readonly acquireConnection: () => Promise<object>
    readonly releaseConnection: (connection: object) => unknown
  }
}

/**
 * Hands out connections of PostgreSQL without prepared statements: the limiters give their statements names, and a pooler such as
 * PgBouncer in transaction mode may not know them.
 */
export const toPostgresClient = (knex: Knex): LimiterClient =>
  toLimiterClient(knex, 'pg', (connection) => ({
    query: ({ text, values }: { readonly text: string; readonly values: readonly unknown[] }) =>
      callMember(connection, 'query', [{ text, values }]),
  }))

/** Hands out connections of SQLite, whichever driver with the interface of better-sqlite3 knex uses. */
export const toSqliteClient = (
  knex: Knex,
  table: { readonly bare: string; readonly qualified: string },
): LimiterClient =>
  toLimiterClient(knex, 'better-sqlite3', (connection) => {
    const run = (method: 'all' | 'run', sql: string, values: readonly unknown[]): unknown => {
      try {
        const statement = callMember(connection, 'prepare', [sql.replaceAll(table.bare, table.qualified)])
        return callMember(statement, method, values)
      } catch (error) {
        discardAfterLock(connection, error)
        throw error
      }
    }
    return {
      prepare: (sql: string) => ({
        // `all` runs a statement to its end, which `get` of libsql does not.
        get: (...values: readonly unknown[]) => memberOf(run('all', sql, values), 0),
        run: (...values: readonly unknown[]) => run('run', sql, values),
      }),
      // What a limiter runs in a transaction is one statement.
      transaction: (work: () => unknown) => work,
    }
  })

const toLimiterClient = (knex: Knex, client: string, wrap: (connection: object) => object): LimiterClient => {
  const connections = new WeakMap<object, object>()
  return {
    raw: knex.raw,
    client: {
      config: { client },
      acquireConnection: async () => {
        const connection: object = await knex.client.acquireConnection()
        const wrapped = wrap(connection)
        connections.set(wrapped, connection)
        return wrapped
      },
      releaseConnection: (wrapped) => knex.client.releaseConnection(connections.get(wrapped)),
    },
  }
}

const callMember = (target: unknown, name: string, values: readonly unknown[]): unknown => {
  const method = memberOf(target, name)
  if (typeof method === 'function') return method.apply(target, values)
  throw new TypeError(`jwt-auth: the connection has no \`${name}\`.`)
}
