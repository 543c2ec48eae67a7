import type { Knex } from 'knex'
import { memberOf } from './dialect.js'

/** A statement with its values. */
export interface Statement {
  readonly sql: string
  readonly values: readonly StatementValue[]
}

/** What is bound; an array only on PostgreSQL. */
export type StatementValue = string | number | null | readonly string[]

/**
 * Runs a statement on a connection of the pool; what comes back is the driver's. It goes past knex's query builder, which takes
 * several times as long as a statement whose text is known, and past the host's hooks, which may rename columns. Who listens
 * to knex's events hears of it.
 */
export const sendStatement = async (
  client: Knex.Client,
  connection: object,
  { sql, values }: Statement,
): Promise<unknown> =>
  memberOf(await client.query(connection, { sql, bindings: [...values], method: 'raw', isKept: true }), 'response')
