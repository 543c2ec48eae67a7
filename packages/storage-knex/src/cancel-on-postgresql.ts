import type { Knex } from 'knex'
import { memberOf } from './dialect.js'

/**
 * Cancels the statement of a connection of `pg` by a CancelRequest (PostgreSQL, section "Canceling Requests in Progress"), which
 * reaches the server through PgBouncer too. Goes where the connection went: same host, port, socket and TLS.
 */
export const cancelOnPostgresql = (client: Knex.Client, connection: object, limit: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const { host, port, ssl, sslNegotiation, processID, secretKey } = readTarget(connection)
    // Some poolers give no key, and then nothing can be cancelled.
    if (typeof processID !== 'number' || typeof secretKey !== 'number') return resolve()

    const request = new client.driver.Connection({ stream: readStream(client), ssl, sslNegotiation })
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
    // The server closes the connection when it has passed the request on.
    request.once('end', finish)
    request.on('error', finish)
    if (host.startsWith('/')) request.connect(`${host}/.s.PGSQL.${port}`)
    else request.connect(port, host)
  })

const readTarget = (connection: object) => ({
  host: String(memberOf(connection, 'host')),
  port: memberOf(connection, 'port'),
  ssl: memberOf(connection, 'ssl'),
  sslNegotiation: memberOf(connection, 'sslNegotiation'),
  processID: memberOf(connection, 'processID'),
  secretKey: memberOf(connection, 'secretKey'),
})

// An application that opens sockets in its own way, such as through a proxy, configures a function for it.
const readStream = (client: Knex.Client): unknown => {
  const stream = memberOf(client.connectionSettings, 'stream')
  return typeof stream === 'function' ? stream : undefined
}
