import { getMember, hasMethod } from '@jwt-auth/core/internal'
import { ignoreErrors } from '../connection-check.js'
import { createPooledExecutor } from '../pooled-executor.js'
import type { Row, SqlExecutor, SqlValue } from '../sql-executor.js'
import { createPgCanceller, type PgConnectionClass } from './cancel-statement.js'
import {
  createStatementNames,
  type PostgresqlExecutorOptions,
  readPreparedStatements,
  requireClient,
} from './executor-options.js'

/** The part of a `Pool` of `pg` that the executor uses. */
interface PgPool {
  /** Checks out a client. */
  connect(): Promise<PgClient>
  /** Adds a listener for new clients, or for errors of idle clients. */
  on(event: 'connect' | 'error', listener: (subject: object) => void): unknown
}

/** The part of a client of `pg` that the executor uses. */
interface PgClient {
  /** Runs one statement. */
  query(sent: string | object, values: readonly SqlValue[]): Promise<{ rows: Row[]; rowCount: number | null }>
  /** Returns the client to its pool, or closes it. */
  release(isDiscarded?: boolean): void
}

/**
 * Creates the executor of a pool of `pg`. Your application creates the pool, and ends it after
 * `await auth.close()`.
 *
 * @throws TypeError for a value that is no pool, such as a single client, and for an unknown option
 * @example
 * ```ts
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
 * const storage = sqlStorage(pgExecutor(pool))
 * ```
 */
export const pgExecutor = (pool: PgPool, options: PostgresqlExecutorOptions = {}): SqlExecutor => {
  // A single client has the method `connect` of a pool too.
  const isPool = hasMethod(pool, 'connect') && getMember(pool, 'connection') === undefined
  requireClient(isPool, 'pgExecutor', 'a pool of pg', 'pgExecutor(new pg.Pool({ connectionString }))')
  const toName = readPreparedStatements(options, 'pgExecutor') ? createStatementNames() : undefined
  // Between this event and the end of `connect`, nobody else listens (brianc/node-postgres#2762).
  pool.on('connect', ignoreErrors)
  ignoreErrors(pool)
  return createPooledExecutor<PgClient>({
    dialect: 'postgresql',
    acquire: () => pool.connect(),
    release: (client, discardReason) => client.release(discardReason !== undefined),
    cancel: createPgCanceller(
      // pg exports this class, but the executor does not import pg.
      (client) => getMember(getMember(client, 'connection'), 'constructor') as PgConnectionClass,
      getMember(getMember(pool, 'options'), 'stream'),
    ),
    send: async (client, text, values) => {
      const name = toName?.(text)
      // pg copies an object slowly.
      const sent = await client.query(name === undefined ? text : { name, text }, values)
      return { rows: sent.rows, changedRows: sent.rowCount ?? undefined }
    },
  })
}
