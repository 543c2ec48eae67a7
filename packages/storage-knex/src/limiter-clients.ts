import { getMember } from '@jwt-auth/core/adapter'
import type { Knex } from 'knex'
import { discardAfterLock } from './knex-connections.js'

/** The part of a knex instance that the limiters of rate-limiter-flexible use, with the names and types of knex. */
export interface LimiterClient {
  readonly raw: Knex['raw']
  readonly client: {
    readonly config: { readonly client: string }
    readonly acquireConnection: () => Promise<object>
    readonly releaseConnection: (connection: object) => unknown
  }
}

/**
 * Returns a client for PostgreSQL that sends no prepared statements. The limiters name their statements, and a pooler such as PgBouncer
 * in transaction mode may not know the names.
 */
export const toPostgresClient = (knex: Knex): LimiterClient =>
  toLimiterClient(knex, 'pg', (connection) => ({
    query: ({ text, values }: { readonly text: string; readonly values: readonly unknown[] }) =>
      callMember(connection, 'query', [{ text, values }]),
  }))

/** Returns a client for SQLite. The driver of the knex instance must have the interface of better-sqlite3. */
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
        // `all` runs a statement to its end. `get` of libsql does not.
        get: (...values: readonly unknown[]) => getMember(run('all', sql, values), 0),
        run: (...values: readonly unknown[]) => run('run', sql, values),
      }),
      // The limiters run only one statement in a transaction.
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
  const method = getMember(target, name)
  if (typeof method === 'function') return method.apply(target, values)
  throw new TypeError(`jwt-auth: the connection has no method \`${name}\`.`)
}
