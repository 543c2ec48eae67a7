import type { CallOptions } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { dialectOf, type Row } from './dialect.js'
import type { SendStatement, Statement } from './send-statement.js'
import { isConflict, toStorageError } from './storage-error.js'
import { createConnectionUser, type UseConnection } from './use-connection.js'

/** A statement and what it is for. */
interface Query extends Statement {
  /** Completes the sentence "could not …" of a failure. */
  readonly purpose: string
}

/** Runs single statements, each within its caller's deadline. Failures carry a code and no bound value. */
export interface QueryRunner {
  readonly readRows: (query: Query, options: CallOptions | undefined) => Promise<readonly Row[]>
  readonly countAffected: (query: Query, options: CallOptions | undefined) => Promise<number>
}

// Two statements that keep deadlocking are a load, not an accident: then the caller's 503 is the honest answer.
const mostAttempts = 3

/** Makes the runner of a knex instance. */
export const createQueryRunner = (knex: Knex, sendStatement: SendStatement): QueryRunner => {
  const dialect = dialectOf(knex)
  const useConnection = createConnectionUser(knex)

  const run = async <T>(query: Query, options: CallOptions | undefined, read: (result: unknown) => T): Promise<T> => {
    try {
      return read(await runWithRetries(useConnection, sendStatement, { query, signal: options?.signal }))
    } catch (error) {
      throw toStorageError(query.purpose, error)
    }
  }

  return {
    readRows: (query, options) => run(query, options, dialect.readRows),
    countAffected: (query, options) => run(query, options, dialect.readAffected),
  }
}

const runWithRetries = async (
  useConnection: UseConnection,
  sendStatement: SendStatement,
  { query, signal }: { readonly query: Query; readonly signal: AbortSignal | undefined },
): Promise<unknown> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await useConnection(signal, (connection) => sendStatement(connection, query))
    } catch (error) {
      if (!isConflict(error) || attempt === mostAttempts) throw error
    }
  }
}
