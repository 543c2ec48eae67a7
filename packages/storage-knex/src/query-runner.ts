import type { CallOptions } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { dialectOf, type Row } from './dialect.js'
import { retryConflicts } from './retry-conflicts.js'
import type { SendStatement, Statement } from './send-statement.js'
import { toStorageError } from './storage-error.js'
import { createConnectionUser } from './use-connection.js'

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

/** Makes the runner of a knex instance. */
export const createQueryRunner = (knex: Knex, sendStatement: SendStatement): QueryRunner => {
  const dialect = dialectOf(knex)
  const useConnection = createConnectionUser(knex)

  const run = async <T>(query: Query, options: CallOptions | undefined, read: (result: unknown) => T): Promise<T> => {
    try {
      const send = () => useConnection(options?.signal, (connection) => sendStatement(connection, query))
      return read(await retryConflicts(send))
    } catch (error) {
      throw toStorageError(query.purpose, error)
    }
  }

  return {
    readRows: (query, options) => run(query, options, dialect.readRows),
    countAffected: (query, options) => run(query, options, dialect.readAffected),
  }
}
