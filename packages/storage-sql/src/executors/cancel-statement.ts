import { getMember } from '@jwt-auth/core/internal'
import { destroySocket } from '../connection-runner.js'
import type { CancelStatement } from '../pooled-client.js'

/** The class `Connection` of `pg`. */
export interface PgConnectionClass {
  /** Creates a connection. Opens no socket. */
  new (options: { readonly stream: unknown; readonly ssl: unknown; readonly sslNegotiation: unknown }): PgConnection
}

/** One socket of `pg` to PostgreSQL. */
export interface PgConnection {
  /** Connects to a port and host, or to the path of a Unix socket. */
  connect(...target: readonly unknown[]): unknown
  /** Asks the server for an encrypted connection. */
  requestSsl(): unknown
  /** Sends a CancelRequest. */
  cancel(processID: number, secretKey: number): unknown
  /** Adds a listener. */
  on(event: string, listener: () => void): unknown
  /** Adds a listener for one event. */
  once(event: string, listener: () => void): unknown
}

/**
 * Creates the function that cancels statements of `pg` by a CancelRequest, which PgBouncer forwards
 * (PostgreSQL, "Canceling Requests in Progress").
 *
 * @param stream the function that opens the sockets of the client, for an application that
 * configured one
 */
export const createPgCanceller =
  (findClass: (connection: object) => PgConnectionClass, stream?: unknown): CancelStatement<object> =>
  async (connection, limit) => {
    const [host, port, ssl, sslNegotiation, processID, secretKey] = target.map((name) => getMember(connection, name))
    // Some poolers return no key. Then no statement can be cancelled.
    if (typeof processID !== 'number' || typeof secretKey !== 'number') return

    const PgConnection = findClass(connection)
    const openSocket = typeof stream === 'function' ? stream : undefined
    const request = new PgConnection({ stream: openSocket, ssl, sslNegotiation })
    await cancelOn(request, limit, (finish) => {
      const send = (): unknown => request.cancel(processID, secretKey)
      request.once('connect', () => {
        if (!ssl) send()
        else if (sslNegotiation !== 'direct') request.requestSsl()
      })
      request.once('sslconnect', send)
      // The server closes the connection after it has processed the request.
      request.once('end', finish)
      if (String(host).startsWith('/')) request.connect(`${host}/.s.PGSQL.${port}`)
      else request.connect(port, host)
    })
  }

const target = ['host', 'port', 'ssl', 'sslNegotiation', 'processID', 'secretKey']

/** The class `Connection` of `mysql2`. */
export interface MysqlConnectionClass {
  /** Creates a connection, and connects. */
  new (options: { readonly config: unknown }): MysqlConnection
}

/** A connection of `mysql2`. */
export interface MysqlConnection {
  /** Sends a statement. */
  query(text: string, done: () => void): unknown
  /** Adds a listener. */
  on(event: string, listener: () => void): unknown
}

/**
 * Creates the function that cancels statements of `mysql2` by `kill query` on a second connection.
 */
export const createMysqlCanceller =
  (findClass: (connection: object) => MysqlConnectionClass): CancelStatement<object> =>
  async (connection, limit) => {
    const threadId = getMember(connection, 'threadId')
    if (typeof threadId !== 'number') return

    const MysqlConnection = findClass(connection)
    const canceller = new MysqlConnection({ config: getMember(connection, 'config') })
    await cancelOn(canceller, limit, (finish) => canceller.query(`kill query ${threadId}`, finish))
  }

/** Sends a request on a connection of its own, and closes the connection when it has finished. */
const cancelOn = (
  connection: PgConnection | MysqlConnection,
  limit: AbortSignal,
  send: (finish: () => void) => unknown,
): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      limit.removeEventListener('abort', finish)
      destroySocket(connection)
      resolve()
    }
    limit.addEventListener('abort', finish)
    connection.on('error', finish)
    send(finish)
  })
