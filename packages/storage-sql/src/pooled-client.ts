import type { DialectName, SqlResult, SqlValue } from './sql-executor.js'

/**
 * Cancels the statement that runs on a connection. Resolves when the server has received the
 * request, when the request fails, or when the signal aborts. Never rejects. Sends the request to
 * the server of the connection: elsewhere the same id belongs to another statement.
 */
export type CancelStatement<Connection extends object> = (connection: Connection, limit: AbortSignal) => Promise<void>

/** A SQL client that hands out connections. */
export interface PooledClient<Connection extends object> {
  /** The family of the database. */
  readonly dialect: DialectName
  /** Resolves to a connection that nobody else uses. */
  readonly acquire: () => Promise<Connection>
  /**
   * Gives a connection back. With a reason, the pool must close the connection and never hand it
   * out again.
   */
  readonly release: (connection: Connection, discardReason?: unknown) => unknown
  /**
   * Resolves to whether somebody else has left a transaction open on a connection. @default asks
   * connections of `pg` and of SQLite, and servers of MySQL
   */
  readonly isInTransaction?: ((connection: Connection) => Promise<boolean>) | undefined
  /** Cancels the statement that runs on a connection. @default nothing is cancelled */
  readonly cancel?: CancelStatement<Connection> | undefined
  /** Runs one statement on a connection. */
  readonly send: (connection: Connection, text: string, values: readonly SqlValue[]) => Promise<SqlResult>
}
