import { setTimeout } from 'node:timers/promises'
import type { CallOptions } from '@jwt-auth/core'
import { machineSystem } from '@jwt-auth/core/internal'
import type { Row, SqlExecutor, SqlResult, SqlValue } from './sql-executor.js'
import { isConflict, toStorageError } from './storage-error.js'

/** A SQL statement with its values and its purpose. */
interface Query {
  readonly sql: string
  /** The values of the placeholders, in their order. */
  readonly values: readonly SqlValue[]
  /** Completes the sentence "could not …" of an error message. */
  readonly purpose: string
}

/**
 * Creates the query runner of a storage, which runs single statements within the deadline of the
 * caller. It rejects with the error of {@link toStorageError}.
 */
export const createQueryRunner = (executor: Pick<SqlExecutor, 'query' | 'isInTransaction'>) => {
  const run = async <T>(query: Query, options: CallOptions | undefined, parse: (result: SqlResult) => T) => {
    try {
      return parse(await retryConflicts(executor, () => executor.query(query.sql, query.values, options)))
    } catch (error) {
      throw toStorageError(query.purpose, error)
    }
  }

  return {
    /** Runs a select and resolves to its rows. */
    findRows: (query: Query, options: CallOptions | undefined) => run(query, options, ({ rows }) => requireRows(rows)),
    /** Runs an insert, an update or a delete, and resolves to how many rows it changed. */
    changeRows: (query: Query, options: CallOptions | undefined) =>
      run(query, options, ({ changedRows }) => toCount(changedRows)),
  }
}

/** The query runner of a storage. */
export type QueryRunner = ReturnType<typeof createQueryRunner>

/** Returns the rows of a result. Throws a `TypeError` for a result without rows. */
export const requireRows = (rows: unknown): readonly Row[] => {
  if (Array.isArray(rows)) return rows
  throw new TypeError(
    'jwt-auth: the executor did not return the rows of the statement; `query` must resolve to `{ rows }`.',
  )
}

const toCount = (value: unknown): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value
  throw new TypeError('the executor did not return how many rows the statement changed')
}

// Of statements that change one row at the same moment, the database may roll back all but one:
// InnoDB when they insert it, PostgreSQL at `repeatable read` and `serializable`. Pauses of random
// length let the others complete. The deadline of the call still applies.
const maxAttempts = 50
const firstPauseMs = 4
const longestPauseMs = 32

const { randomBytes } = machineSystem

/**
 * Sends a statement again, at most fifty times in all, when the database rolled it back because of
 * a concurrent statement.
 */
export const retryConflicts = async <T>(
  { isInTransaction }: Pick<SqlExecutor, 'isInTransaction'>,
  send: () => Promise<T>,
): Promise<T> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      if (isInTransaction || !isConflict(error) || attempt === maxAttempts) throw error
      await setTimeout((randomBytes(1).readUInt8() / 255) * Math.min(firstPauseMs * 2 ** attempt, longestPauseMs))
    }
  }
}
