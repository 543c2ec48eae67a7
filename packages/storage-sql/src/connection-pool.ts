/**
 * Cancels the statement that runs on a connection. Resolves when the server has received the request, when the request fails, or when
 * the signal aborts. Never rejects. Sends the request to the server of the connection: elsewhere the same id belongs to another statement.
 */
export type CancelStatement<Connection extends object> = (connection: Connection, limit: AbortSignal) => Promise<void>

/** The connections of one SQL client. */
export interface ConnectionPool<Connection extends object> {
  /** Resolves to a connection that nobody else uses. */
  readonly acquire: () => Promise<Connection>
  /** Gives a connection back. With a reason, the pool must close the connection and never hand it out again. */
  readonly release: (connection: Connection, discardReason?: unknown) => unknown
  /** Cancels the statement that runs on a connection. @default nothing is cancelled */
  readonly cancel?: CancelStatement<Connection> | undefined
}
