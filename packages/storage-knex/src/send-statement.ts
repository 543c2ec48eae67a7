import { createHash } from 'node:crypto'
import type { Knex } from 'knex'
import { memberOf } from './dialect.js'

/** A statement with its values. */
export interface Statement {
  readonly sql: string
  readonly values: readonly StatementValue[]
}

/** What is bound; an array only on PostgreSQL. */
export type StatementValue = string | number | null | readonly string[]

/** Runs a statement on a connection of the pool; what comes back is the driver's. */
export type SendStatement = (connection: object, statement: Statement) => Promise<unknown>

/**
 * Makes the function that sends statements past knex's query builder, which takes several times as long as a statement whose
 * text is known, and past the host's hooks, which may rename columns. Who listens to knex's events hears of them.
 *
 * @param isPrepared whether PostgreSQL keeps the statements, under a name, for as long as a connection lasts
 */
export const createStatementSender = ({ client }: Knex, isPrepared: boolean): SendStatement => {
  const names = new Map<string, string>()

  const nameOf = (sql: string): string => {
    const name = names.get(sql) ?? `jwt_auth_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
    names.set(sql, name)
    return name
  }

  return async (connection, { sql, values }) => {
    const query = { sql, bindings: [...values], method: 'raw', isKept: true }
    const answered = await client.query(connection, isPrepared ? { ...query, options: { name: nameOf(sql) } } : query)
    return memberOf(answered, 'response')
  }
}
