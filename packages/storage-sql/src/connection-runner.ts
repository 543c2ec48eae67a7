import type { CallOptions } from '@jwt-auth/core'
import { getMember, hasMethod, onAbort } from '@jwt-auth/core/adapter'
import { createSemaphore } from './semaphore.js'
import type { DialectName, SqlResult, SqlValue } from './sql-executor.js'
import { toErrorWithCode, unsafeCharset, unsafeMode } from './storage-error.js'

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
  /** Cancels the statement that runs on a connection. @default nothing is cancelled */
  readonly cancel?: CancelStatement<Connection> | undefined
  /** Runs one statement on a connection. */
  readonly send: (connection: Connection, text: string, values: readonly SqlValue[]) => Promise<SqlResult>
}

/**
 * Creates the function that runs one query on a connection of a client. When the signal aborts, the
 * call rejects with the signal's reason: a query that waits for a connection is not sent, and a
 * query in flight is cancelled and its connection discarded. The cancellations of all calls of one
 * function are bounded together: at most four are in progress, each for at most a second.
 */
export const createConnectionRunner = <Connection extends object>(client: PooledClient<Connection>) => {
  const abandon = createAbandoner(client)
  const checked = new WeakSet<Connection>()

  return <T>(options: CallOptions | undefined, query: (connection: Connection) => PromiseLike<T>) =>
    new Promise<T>((resolve, reject) => {
      let isAborted = false
      let used: Connection | undefined
      const stopListening = onAbort(options, (reason) => {
        isAborted = true
        if (used !== undefined) void abandon(used, reason)
        reject(reason)
      })

      const run = async (): Promise<T> => {
        const connection = await client.acquire()
        if (isAborted) {
          // The pool has no way to cancel a request for a connection.
          await client.release(connection)
          throw options?.signal?.reason
        }
        used = connection
        try {
          if (client.dialect === 'mysql' && !checked.has(connection)) {
            await requireBackslashEscapes((text) => client.send(connection, text, []))
            checked.add(connection)
            // The query is not sent after an abort.
            options?.signal?.throwIfAborted()
          }
          return await query(connection)
        } finally {
          stopListening()
          if (!isAborted) await client.release(connection)
        }
      }
      if (isAborted) return
      run().then(resolve, (error: unknown) => {
        stopListening()
        reject(error)
      })
    })
}

// Each cancellation opens a connection. During an outage, cancellations must not flood the server.
const maxCancellations = 4

// Without this limit, a silent server keeps a cancellation and the cancelled connection open until
// the driver times out. `pg` never times out.
const maxCancellationMs = 1_000

/**
 * Creates the function that cancels the statement of a connection, and discards the connection. The
 * function never rejects. At most four cancellations are in progress at a
 * time; the others wait. The pool gets each connection back after its cancellation, because
 * PgBouncer cancels nothing for a client that has disconnected.
 *
 * @param limitMs the longest time for one cancellation, in milliseconds
 */
export const createAbandoner = <Connection extends object>(
  { cancel, release }: Pick<PooledClient<Connection>, 'cancel' | 'release'>,
  limitMs: number = maxCancellationMs,
): ((connection: Connection, reason: unknown) => Promise<void>) => {
  const semaphore = createSemaphore(maxCancellations)
  return async (connection, reason) => {
    const limit = AbortSignal.timeout(limitMs)
    await semaphore.acquire()
    // A cancellation that fails changes nothing: the connection is closed in any case.
    if (!limit.aborted) await cancel?.(connection, limit).catch(() => {})
    destroySocket(connection)
    await Promise.resolve(release(connection, reason)).catch(() => {})
    semaphore.release()
  }
}

// `destroy` of mysql2 only ends the stream, and a silent server never responds to that. pg has the
// socket in a nested object, and `end` of pg waits for the statement.
const destroySocket = (connection: object): void => {
  const stream = getMember(getMember(connection, 'connection') ?? connection, 'stream')
  for (const target of [connection, stream]) if (hasMethod(target, 'destroy')) target.destroy()
}

/**
 * Rejects for a connection to MySQL on which a quote in a user agent or a user name would end the
 * value, and the rest would be SQL. mysql2 escapes values with backslashes. They have no effect in
 * the mode `NO_BACKSLASH_ESCAPES`. In some character sets other characters become a backslash or a
 * quote: mysql2 sends `ħ` as a quote when it connects with latin1. It follows a later `set names`
 * only if the server reports the change.
 */
const requireBackslashEscapes = async (query: (text: string) => Promise<SqlResult>): Promise<void> => {
  const { rows: [row] = [] } = await query(
    "select @@sql_mode as mode, @@character_set_client as charset, hex(convert('š' using utf8mb4)) as letter",
  )
  const isUnsafeMode = String(row?.['mode']).includes(unsafeMode)
  const isUtf8 = String(row?.['charset']).startsWith('utf8') && row?.['letter'] === 'C5A1'
  if (!isUnsafeMode && isUtf8) return
  const code = isUnsafeMode ? unsafeMode : unsafeCharset
  throw toErrorWithCode('a connection to MySQL is refused', Object.assign(new Error(), { code }))
}
