import type { CallOptions } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { type AbandonConnection, createAbandoner } from './abandon-connection.js'
import { dialectOf, type Row } from './dialect.js'
import { isConflict, toStorageError } from './storage-error.js'

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
  const abandon = createAbandoner(knex)

  const run = async <T>(query: Query, options: CallOptions | undefined, read: (result: unknown) => T): Promise<T> => {
    try {
      return read(await runWithRetries(client, query, { signal: options?.signal, abandon }))
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

interface Limits {
  readonly signal: AbortSignal | undefined
  readonly abandon: AbandonConnection
}

const runWithRetries = async (client: Knex.Client, query: Query, limits: Limits): Promise<unknown> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(client, query, limits)
    } catch (error) {
      if (!isConflict(error) || attempt === mostAttempts) throw error
    }
  }
}

const runOnce = async (client: Knex.Client, { sql, values }: Query, { signal, abandon }: Limits): Promise<unknown> => {
  signal?.throwIfAborted()
  const connection = await client.acquireConnection()
  try {
    // The pool may have kept us waiting until nobody waits for us.
    signal?.throwIfAborted()
    const result = client.raw(sql, [...values]).connection(connection)
    return await untilAborted(result, signal, (reason) => abandon(connection, reason))
  } finally {
    await client.releaseConnection(connection)
  }
}

const untilAborted = (
  result: PromiseLike<unknown>,
  signal: AbortSignal | undefined,
  onAbort: (reason: unknown) => void,
): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      onAbort(signal?.reason)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', stop, { once: true })
    const settle = (finish: (value: unknown) => void) => (value: unknown) => {
      signal?.removeEventListener('abort', stop)
      finish(value)
    }
    result.then(settle(resolve), settle(reject))
  })
