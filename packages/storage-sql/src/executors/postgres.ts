import { getMember, hasMethod } from '@jwt-auth/core/internal'
import { createPooledExecutor } from '../pooled-executor.js'
import type { Row, SqlExecutor, SqlValue } from '../sql-executor.js'
import { type PostgresqlExecutorOptions, readPreparedStatements, requireClient } from './executor-options.js'

/** The part of `postgres` (postgres.js) that the executor uses. */
interface PostgresSql {
  /** Reserves a connection. */
  reserve(): Promise<PostgresReserved>
}

/** The part of a reserved connection that the executor uses. */
interface PostgresReserved {
  /** Runs one statement. */
  unsafe(text: string, values: SqlValue[], options: { prepare: boolean }): PostgresQuery
  /** Gives the connection back. */
  release(): void
}

/** A statement that was sent. */
interface PostgresQuery extends PromiseLike<readonly Row[] & { readonly count: number }> {
  /** Sends a CancelRequest. */
  cancel(): void
}

type Reserved = { readonly sql: PostgresReserved; sent?: PostgresQuery; isCancelled?: boolean }

/**
 * Creates the executor of `postgres` (postgres.js). Your application creates `sql`, and ends it
 * after `await auth.close()`. After an abort, a connection is used again once its statement has
 * settled: postgres.js cannot close a single connection.
 *
 * @throws TypeError for another value, for `fetch_types: false`, and for an unknown option
 * @example
 * ```ts
 * const storage = sqlStorage(postgresExecutor(postgres(process.env.DATABASE_URL)))
 * ```
 */
export const postgresExecutor = (sql: PostgresSql, options: PostgresqlExecutorOptions = {}): SqlExecutor => {
  const settings = getMember(sql, 'options')
  const transform = getMember(settings, 'transform')
  const isTransformed = ['column', 'value', 'row'].some((kind) => getMember(getMember(transform, kind), 'from'))
  // Without types, `reserve` never ends on a new connection (porsager/postgres#751).
  const isSql = hasMethod(sql, 'reserve') && Boolean(getMember(settings, 'fetch_types')) && !isTransformed
  const expected = 'the sql of postgres without `fetch_types: false` and without a `transform` of results'
  requireClient(isSql, 'postgresExecutor', expected, 'postgresExecutor(postgres(url))')
  const prepare = readPreparedStatements(options, 'postgresExecutor')
  const send = async (connection: Reserved, text: string, values: readonly SqlValue[]) => {
    const run = () => (connection.sent = connection.sql.unsafe(text, [...values], { prepare }))
    // A cancellation that arrived late has cancelled this statement instead of the previous one
    // of the connection.
    const rows = await run().then(undefined, (error: unknown) => {
      if (getMember(error, 'code') === '57014' && !connection.isCancelled) return run()
      throw error
    })
    return { rows, changedRows: rows.count }
  }
  return createPooledExecutor<Reserved>({
    dialect: 'postgresql',
    // Without a reserved connection, postgres.js sends statements behind those of other callers,
    // and a cancellation would end the statement of another caller.
    acquire: async () => ({ sql: await sql.reserve() }),
    release: (connection, discardReason) => {
      const { sql, isCancelled } = connection
      const giveBack = (): void => sql.release()
      // postgres.js cannot close a single connection.
      if (discardReason !== undefined && !isCancelled) connection.sent = sql.unsafe('rollback', [], { prepare })
      const { sent } = connection
      // postgres.js takes a lost connection back by itself.
      if (sent === undefined) giveBack()
      else sent.then(giveBack, (error: unknown) => getMember(error, 'name') === 'PostgresError' && giveBack())
    },
    isInTransaction: async (connection) => {
      // In a transaction, the times differ from the second statement on.
      const sent = send(connection, 'select (now() <> statement_timestamp())::text as later', [])
      // The code of a transaction that has failed.
      const { rows } = await sent.catch((failure: unknown) => {
        if (getMember(failure, 'code') === '25P02') return { rows: [] }
        throw failure
      })
      return rows[0]?.['later'] !== 'false'
    },
    cancel: async (connection) => {
      connection.isCancelled = true
      connection.sent?.cancel()
    },
    send,
  })
}
