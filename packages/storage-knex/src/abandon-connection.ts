import type { Knex } from 'knex'
import { memberOf } from './dialect.js'

// Each cancellation opens a connection of its own: in an outage they must not pile up.
const mostCancellations = 4

/** Gives a connection up together with the statement that runs on it. */
export type AbandonConnection = (connection: object, reason: unknown) => void

/** Makes the function that gives connections up, where the database can cancel statements. */
export const createAbandoner = (knex: Knex): AbandonConnection => {
  let underWay = 0

  const cancel = async (connection: object): Promise<void> => {
    if (!knex.client.canCancelQuery || underWay >= mostCancellations) return
    underWay += 1
    try {
      await knex.client.cancelQuery(connection)
    } catch {
      // A server that can't be reached cancels nothing; the connection goes all the same.
    } finally {
      underWay -= 1
    }
  }

  return (connection, reason) => {
    // knex's pool destroys what carries this mark instead of handing it out again.
    Object.assign(connection, { __knex__disposed: reason })
    cancel(connection).finally(() => destroySocket(connection))
  }
}

// mysql2 has a method for it; pg keeps the socket one level down and would wait for the statement otherwise.
const destroySocket = (connection: object): void => {
  const stream = memberOf(memberOf(connection, 'connection'), 'stream') ?? connection
  const destroy = memberOf(stream, 'destroy')
  if (typeof destroy === 'function') destroy.call(stream)
}
