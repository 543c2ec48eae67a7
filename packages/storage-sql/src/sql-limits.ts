import type { Limiter } from '@jwt-auth/core'
import type { LimitCount, LimitMark, LimitWindow } from '@jwt-auth/core/adapter'
import type { ReserveOptions } from '@jwt-auth/core/internal'
import { type LimitStatements, writeLimitStatements } from './limit-statements.js'
import { requireRows, retryConflicts } from './query-runner.js'
import { isMariaDb, type Row, type SqlExecutor, type SqlResult, type SqlValue } from './sql-executor.js'
import { adviseOnSchema, toErrorWithCode } from './storage-error.js'
import type { TableNames } from './table-names.js'

/**
 * Creates the limiter of a storage. Every hundredth call deletes the counts that ended more than an
 * hour ago.
 *
 * Each call is one statement. MySQL does not return the rows that an insert changed: there, each
 * `reserve` is one transaction. A call that fails rejects with an `Error` that has the code of the
 * driver or of the database.
 */
export const createSqlLimiter = (executor: SqlExecutor, names: TableNames): Limiter => {
  const sql = writeLimitStatements(names, executor.dialect)
  const send = createSender(executor, sql)
  let calls = 0

  // A failure has no effect: a later call deletes the same rows.
  const deleteEnded = (now: number): void => {
    calls += 1
    if (calls % callsBetweenCleanUps > 0) return
    executor.query(sql.deleteEnded, [now - keptAfterEndMs]).catch(() => {})
  }

  return {
    reserve: async (counts, options) => {
      deleteEnded(options.now)
      const sorted = counts.toSorted(byKey)
      const { rows } = await retryConflicts(executor, () => send(sorted, options)).catch(rethrow)
      const found = requireRows(rows)
      return {
        windows: counts.map(({ key }) => toWindow(key, found)),
        isMarked: found.some(({ marked_until: until }) => Number(until) > options.now),
      }
    },
    refund: async (windows, { mark, signal }) => {
      const rows = [...windows.toSorted(byKey).map(toRefundedRow), ...(mark === undefined ? [] : [toMarkRow(mark)])]
      if (rows.length === 0) return
      const refundAll = () => executor.query(sql.refund(rows.length), rows.flat(), { signal })
      await retryConflicts(executor, refundAll).catch(rethrow)
    },
  }
}

const callsBetweenCleanUps = 100
const keptAfterEndMs = 60 * 60 * 1000

const createSender = (executor: SqlExecutor, sql: LimitStatements) => {
  let canReturn = executor.dialect === 'mysql' ? undefined : true

  return async (counts: readonly LimitCount[], { now, mark = '', signal }: ReserveOptions): Promise<SqlResult> => {
    canReturn ??= await isMariaDb(executor.query, { signal })
    const added = [...counts.flatMap(({ key, durationSeconds }) => [key, now + durationSeconds * 1_000]), now, now]
    if (canReturn) return executor.query(sql.reserveAndReturn(counts.length), [...added, mark], { signal })
    return executor.transaction(async (query) => {
      signal?.throwIfAborted()
      await query(sql.reserve(counts.length), added, { signal })
      return query(sql.select(counts.length), [mark, ...counts.map(({ key }) => key)], { signal })
    })
  }
}

// All statements lock their rows in this order, and a mark last. Otherwise they could deadlock.
const byKey = (one: { readonly key: string }, other: { readonly key: string }): number => (one.key < other.key ? -1 : 1)

const toRefundedRow = ({ key, endsAt }: LimitWindow): readonly SqlValue[] => [key, 0, endsAt]

const toMarkRow = ({ key, endsAt }: LimitMark): readonly SqlValue[] => [key, 1, endsAt]

const toWindow = (key: string, rows: readonly Row[]): LimitWindow => {
  const row = rows.find(({ id }) => id === key)
  return { key, count: Number(row?.['attempts']), endsAt: Number(row?.['ends_at']) }
}

const rethrow = (thrown: unknown): never => {
  const advice = adviseOnSchema(thrown, 'the table of limits', 'call storage.migrate()')
  throw toErrorWithCode('the SQL limits could not count', thrown, advice)
}
