import type { Knex } from 'knex'
import { memberOf } from './dialect.js'

// Each cancellation opens a connection of its own: in an outage they must neither storm the server nor pile up.
const mostUnderWay = 4
const mostWaiting = 200

/** Gives a connection up together with the statement that runs on it. */
export type AbandonConnection = (connection: object, reason: unknown) => void

/** Makes the function that gives connections up, where the database can cancel statements. */
export const createAbandoner = (knex: Knex): AbandonConnection => {
  const waiting: object[] = []
  let underWay = 0

  const cancelNext = async (): Promise<void> => {
    const connection = underWay < mostUnderWay ? waiting.shift() : undefined
    if (connection === undefined) return
    underWay += 1
    try {
      await knex.client.cancelQuery(connection)
    } catch {
      // A server that can't be reached cancels nothing; the connection goes all the same.
    } finally {
      underWay -= 1
      destroySocket(connection)
      void cancelNext()
    }
  }

  return (connection, reason) => {
    // knex's pool destroys what carries this mark instead of handing it out again.
    Object.assign(connection, { __knex__disposed: reason })
    if (knex.client.canCancelQuery && waiting.length < mostWaiting) waiting.push(connection)
    else destroySocket(connection)
    void cancelNext()
  }
}

// mysql2 has a method for it; pg keeps the socket one level down and would wait for the statement otherwise.
const destroySocket = (connection: object): void => {
  const stream = memberOf(memberOf(connection, 'connection'), 'stream') ?? connection
  const destroy = memberOf(stream, 'destroy')
  if (typeof destroy === 'function') destroy.call(stream)
}
