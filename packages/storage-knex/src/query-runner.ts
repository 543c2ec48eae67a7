import type { CallOptions } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { dialectOf, type Row } from './dialect.js'
import { isConflict, toStorageError } from './storage-error.js'
import { createConnectionUser, type UseConnection } from './use-connection.js'

/** A statement and what it is for. */
interface Query {
  /** Completes the sentence "could not …" of a failure. */
  readonly purpose: string
  readonly sql: string
  readonly values: readonly (string | number | null)[]
}

/** Runs single statements, each within its caller's deadline. Failures carry a code and no bound value. */
export interface QueryRunner {
  readonly readRows: (query: Query, options: CallOptions | undefined) => Promise<readonly Row[]>
  readonly countAffected: (query: Query, options: CallOptions | undefined) => Promise<number>
}

// Two statements that keep deadlocking are a load, not an accident: then the caller's 503 is the honest answer.
const mostAttempts = 3

/** Makes the runner of a knex instance. */
export const createQueryRunner = (knex: Knex): QueryRunner => {
  const dialect = dialectOf(knex)
  const client = withoutHooks(knex)
  const useConnection = createConnectionUser(client, knex)

  const run = async <T>(query: Query, options: CallOptions | undefined, read: (result: unknown) => T): Promise<T> => {
    try {
      return read(await runWithRetries(useConnection, client, { query, signal: options?.signal }))
    } catch (error) {
      throw toStorageError(query.purpose, error)
    }
  }

  return {
    readRows: (query, options) => run(query, options, dialect.readRows),
    countAffected: (query, options) => run(query, options, dialect.readAffected),
  }
}

// The host's postProcessResponse may rename columns; ours have the names they have.
const withoutHooks = (knex: Knex): Knex.Client =>
  Object.create(knex.client, { config: { value: { ...knex.client.config, postProcessResponse: undefined } } })

const runWithRetries = async (
  useConnection: UseConnection,
  client: Knex.Client,
  { query, signal }: { readonly query: Query; readonly signal: AbortSignal | undefined },
): Promise<unknown> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await useConnection(signal, (connection) =>
        client.raw(query.sql, [...query.values]).connection(connection),
      )
    } catch (error) {
      if (!isConflict(error) || attempt === mostAttempts) throw error
    }
  }
}
