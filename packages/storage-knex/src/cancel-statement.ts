import type { Knex } from 'knex'
import { getMember } from './dialect.js'

/**
 * Cancels the statement that runs on a connection. Resolves when the server has received the request, when the request fails, or when
 * the signal aborts. Never rejects. Sends the request to the server of the connection: elsewhere the same id belongs to another statement.
 */
type CancelStatement = (client: Knex.Client, connection: object, limit: AbortSignal) => Promise<void>

/**
 * Cancels the statement of a `pg` connection by a CancelRequest, which PgBouncer forwards (PostgreSQL, "Canceling Requests in
 * Progress").
 */
export const cancelOnPostgresql: CancelStatement = (client, connection, limit) =>
  new Promise((resolve) => {
    const { host, port, ssl, sslNegotiation, processID, secretKey } = toTarget(connection)
    // Some poolers return no key. Then no statement can be cancelled.
    if (typeof processID !== 'number' || typeof secretKey !== 'number') return resolve()

    const request = new client.driver.Connection({ stream: findStream(client), ssl, sslNegotiation })
    const close = (): void => request.stream.destroy()
    limit.addEventListener('abort', close, { once: true })
    const finish = (): void => {
      limit.removeEventListener('abort', close)
      close()
      resolve()
    }
    const send = (): void => request.cancel(processID, secretKey)

    request.once('connect', () => {
      if (!ssl) send()
      else if (sslNegotiation !== 'direct') request.requestSsl()
    })
    request.once('sslconnect', send)
    // The server closes the connection after it has processed the request.
    request.once('end', finish)
    request.on('error', finish)
    if (host.startsWith('/')) request.connect(`${host}/.s.PGSQL.${port}`)
    else request.connect(port, host)
  })

const toTarget = (connection: object) => ({
  host: String(getMember(connection, 'host')),
  port: getMember(connection, 'port'),
  ssl: getMember(connection, 'ssl'),
  sslNegotiation: getMember(connection, 'sslNegotiation'),
  processID: getMember(connection, 'processID'),
  secretKey: getMember(connection, 'secretKey'),
})

// An application that opens its own sockets, for example through a proxy, configures a function for it.
const findStream = (client: Knex.Client): unknown => {
  const stream = getMember(client.connectionSettings, 'stream')
  return typeof stream === 'function' ? stream : undefined
}

/** Cancels the statement of a `mysql2` connection by `kill query` on a second connection. */
const cancelOnMysql: CancelStatement = (client, connection, limit) =>
  new Promise((resolve) => {
    const threadId = getMember(connection, 'threadId')
    if (typeof threadId !== 'number') return resolve()

    const canceller = new client.driver.Connection({ config: getMember(connection, 'config') })
    const finish = (): void => {
      limit.removeEventListener('abort', finish)
      canceller.destroy()
      // `destroy` of the connection only ends its stream, which waits for the server.
      canceller.stream.destroy()
      resolve()
    }
    limit.addEventListener('abort', finish, { once: true })
    canceller.on('error', finish)
    canceller.query(`kill query ${threadId}`, finish)
  })

/**
 * The functions that cancel statements, by knex's name of the dialect. SQLite has none: it runs each statement in one synchronous
 * call.
 */
export const cancelOn: Readonly<Record<string, CancelStatement>> = {
  postgresql: cancelOnPostgresql,
  mysql: cancelOnMysql,
}
