import type { SqlResult } from './sql-executor.js'
import { toErrorWithCode, unsafeMode } from './storage-error.js'

/**
 * Cancels the statement that runs on a connection. Resolves when the server has received the request, when the request fails, or when
 * the signal aborts. Never rejects. Sends the request to the server of the connection: elsewhere the same id belongs to another statement.
 */
export type CancelStatement<Connection extends object> = (connection: Connection, limit: AbortSignal) => Promise<void>

/**
 * Rejects for a connection to MySQL in the mode `NO_BACKSLASH_ESCAPES`. mysql2 escapes values with backslashes, which have no effect in
 * this mode: a quote in a user agent or a user name would end the value, and the rest would be SQL.
 */
export const requireBackslashEscapes = async (query: (text: string) => Promise<SqlResult>): Promise<void> => {
  const { rows: [row] = [] } = await query('select @@sql_mode as mode')
  if (!String(row?.['mode']).includes(unsafeMode)) return
  throw toErrorWithCode('a connection to MySQL is refused', Object.assign(new Error(), { code: unsafeMode }))
}

/** The connections of one SQL client. */
export interface ConnectionPool<Connection extends object> {
  /** Resolves to a connection that nobody else uses. */
  readonly acquire: () => Promise<Connection>
  /** Gives a connection back. With a reason, the pool must close the connection and never hand it out again. */
  readonly release: (connection: Connection, discardReason?: unknown) => unknown
  /** Rejects for a connection that must not be used. Called before the first query of each connection. @default every one is used */
  readonly check?: ((connection: Connection) => Promise<void>) | undefined
  /** Cancels the statement that runs on a connection. @default nothing is cancelled */
  readonly cancel?: CancelStatement<Connection> | undefined
}
