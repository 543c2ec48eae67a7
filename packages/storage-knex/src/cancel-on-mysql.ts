import type { Knex } from 'knex'
import { memberOf } from './dialect.js'

/**
 * Cancels the statement of a connection of `mysql2` by `kill query` on a connection that is opened for it. Goes where the connection
 * went: on another server the same thread runs the statement of somebody else.
 */
export const cancelOnMysql = (client: Knex.Client, connection: object, limit: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const threadId = memberOf(connection, 'threadId')
    if (typeof threadId !== 'number') return resolve()

    const canceller = new client.driver.Connection({ config: memberOf(connection, 'config') })
    const finish = (): void => {
      limit.removeEventListener('abort', finish)
      canceller.destroy()
      // Destroying the connection only ends its stream, which waits for the server.
      canceller.stream.destroy()
      resolve()
    }
    limit.addEventListener('abort', finish, { once: true })
    canceller.on('error', finish)
    canceller.query(`kill query ${threadId}`, finish)
  })
