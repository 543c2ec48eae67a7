import { createHash } from 'node:crypto'
import type { CallOptions } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { type Dialect, getMember, type Row } from './dialect.js'
import { isConflict, toStorageError } from './storage-error.js'
import { createConnectionUser } from './use-connection.js'

/** A SQL statement with its values. */
interface Statement {
  readonly sql: string
  /** The values of the `?` marks, in their order. */
  readonly values: readonly StatementValue[]
}

/** A bound value. Only PostgreSQL accepts an array. */
export type StatementValue = string | number | null | readonly string[]

/**
 * Sends one statement on a connection of the pool and resolves to the driver's result. Rejects with the driver's error, or with the
 * signal's reason when the signal aborts.
 */
export type SendStatement = (statement: Statement, signal: AbortSignal | undefined) => Promise<unknown>

/**
 * Creates the function that sends statements without knex's query builder, which takes several times as long as a statement whose
 * text is known, and without the application's `postProcessResponse`, which may rename columns. Listeners of knex's events are called.
 *
 * @param isPrepared whether each connection to PostgreSQL keeps the statements prepared, under a name
 */
export const createStatementSender = (knex: Knex, isPrepared: boolean): SendStatement => {
  const useConnection = createConnectionUser(knex)
  const names = new Map<string, string>()

  const toName = (sql: string): string => {
    const name = names.get(sql) ?? `jwt_auth_${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`
    names.set(sql, name)
    return name
  }

  return ({ sql, values }, signal) =>
    useConnection(signal, async (connection) => {
      const query = { sql, bindings: [...values], method: 'raw', isKept: true }
      const sent = await knex.client.query(
        connection,
        isPrepared ? { ...query, options: { name: toName(sql) } } : query,
      )
      return getMember(sent, 'response')
    })
}

/** A statement and its purpose. */
interface Query extends Statement {
  /** Completes the sentence "could not …" of an error message. */
  readonly purpose: string
}

/** Runs single statements within the deadline of the caller. Rejects with the error of {@link toStorageError}. */
export interface QueryRunner {
  /** Runs a select and resolves to its rows. */
  readonly findRows: (query: Query, options: CallOptions | undefined) => Promise<readonly Row[]>
  /** Runs an insert, an update or a delete, and resolves to how many rows it changed. */
  readonly changeRows: (query: Query, options: CallOptions | undefined) => Promise<number>
}

/** Creates the query runner of a storage. */
export const createQueryRunner = (dialect: Dialect, sendStatement: SendStatement): QueryRunner => {
  const run = async <T>(query: Query, options: CallOptions | undefined, parse: (result: unknown) => T): Promise<T> => {
    try {
      return parse(await retryConflicts(() => sendStatement(query, options?.signal)))
    } catch (error) {
      throw toStorageError(query.purpose, error)
    }
  }

  return {
    findRows: (query, options) => run(query, options, dialect.parseRows),
    changeRows: (query, options) => run(query, options, dialect.parseChangedCount),
  }
}

// Repeated deadlocks of one statement are a sign of overload. Then the failure is the right response.
const mostAttempts = 3

/** Sends a statement again, at most three times in all, when the database rolled it back because of a concurrent statement. */
export const retryConflicts = async <T>(send: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      if (!isConflict(error) || attempt === mostAttempts) throw error
    }
  }
}
