import type { Knex } from 'knex'
import { memberOf } from './dialect.js'

// Each cancellation opens a connection of its own: in an outage they must neither storm the server nor pile up.
const mostUnderWay = 4
const mostWaiting = 200

// A server that is silent would keep a cancellation, and with it the connection that was given up, for as long as drivers
// wait: PostgreSQL's without an end.
const cancellationLimitMs = 1_000

/** Gives a connection up together with the statement that runs on it. */
export type AbandonConnection = (connection: object, reason: unknown) => void

/** Makes the function that gives connections up, where the database can cancel statements. */
export const createAbandoner = (knex: Knex, limitMs: number = cancellationLimitMs): AbandonConnection => {
  const waiting: object[] = []
  let underWay = 0

  const cancelNext = async (): Promise<void> => {
    const connection = underWay < mostUnderWay ? waiting.shift() : undefined
    if (connection === undefined) return
    underWay += 1
    await cancelInTime(knex, connection, limitMs)
    underWay -= 1
    destroySocket(connection)
    void cancelNext()
  }

  return (connection, reason) => {
    // knex's pool destroys what carries this mark instead of handing it out again.
    Object.assign(connection, { __knex__disposed: reason })
    if (knex.client.canCancelQuery && waiting.length < mostWaiting) waiting.push(connection)
    else destroySocket(connection)
    void cancelNext()
  }
}

// Never rejects: a server that can't be reached cancels nothing; the connection goes all the same.
const cancelInTime = (knex: Knex, connection: object, limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, limitMs).unref()
    const finish = (): void => {
      clearTimeout(timer)
      resolve()
    }
    withLimit(knex, limitMs).cancelQuery(connection).then(finish, finish)
  })

/** The client, but what its connections are not answered in time they give up by themselves. */
const withLimit = ({ client }: Knex, limitMs: number): Knex['client'] => {
  const limits =
    client.dialect === 'mysql'
      ? { connectTimeout: limitMs }
      : { connectionTimeoutMillis: limitMs, query_timeout: limitMs }
  // Descriptors, since knex hides the password from whoever lists the settings.
  const own = Object.getOwnPropertyDescriptors(client.connectionSettings ?? {})
  const settings = Object.assign(Object.defineProperties({}, own), limits)
  return Object.create(client, { connectionSettings: { value: settings } })
}

// mysql2 has a method for it; pg keeps the socket one level down and would wait for the statement otherwise.
const destroySocket = (connection: object): void => {
  const stream = memberOf(memberOf(connection, 'connection'), 'stream') ?? connection
  const destroy = memberOf(stream, 'destroy')
  if (typeof destroy === 'function') destroy.call(stream)
}
