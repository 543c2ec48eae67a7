import type { Knex } from 'knex'
import { cancelOnMysql } from './cancel-on-mysql.js'
import { cancelOnPostgresql } from './cancel-on-postgresql.js'
import { memberOf } from './dialect.js'
import { discardConnection } from './discard-connection.js'

// Each cancellation opens a connection of its own: in an outage, cancellations must not flood the server.
const mostInProgress = 4

// Without this limit, a silent server keeps a cancellation, and the connection that it cancels, for as long as the driver waits.
// PostgreSQL's driver waits without a limit.
const cancellationLimitMs = 1_000

/** Discards a connection and cancels the statement that runs on it. */
export type AbandonConnection = (connection: object, reason: unknown) => void

/** Cancels the statement that runs on a connection. Settles when the server has received the request, or when the signal aborts. */
type CancelStatement = (client: Knex.Client, connection: object, limit: AbortSignal) => Promise<unknown>

// SQLite runs in this process: a statement has ended when its call returns.
const cancelOn: Readonly<Record<string, CancelStatement>> = { postgresql: cancelOnPostgresql, mysql: cancelOnMysql }

/** Creates the function that discards connections. Each connection is closed `limitMs` milliseconds later at the latest. */
export const createAbandoner = (knex: Knex, limitMs: number = cancellationLimitMs): AbandonConnection => {
  const cancel = cancelOn[String(knex.client.dialect)]
  const waiting: (() => Promise<void>)[] = []
  let inProgress = 0

  const cancelNext = async (): Promise<void> => {
    const next = inProgress < mostInProgress ? waiting.shift() : undefined
    if (next === undefined) return
    inProgress += 1
    await next()
    inProgress -= 1
    void cancelNext()
  }

  return (connection, reason) => {
    discardConnection(connection, reason)
    const allowEnd = postponeEnd(connection)
    const limit = AbortSignal.timeout(limitMs)
    waiting.push(async () => {
      // A server that cannot be reached cancels nothing. The connection is closed all the same.
      if (!limit.aborted) await cancel?.(knex.client, connection, limit).catch(() => {})
      destroySocket(connection)
      allowEnd()
    })
    void cancelNext()
  }
}

// The pool ends a discarded connection when the next caller asks for one. PgBouncer cancels nothing for a client that has left.
const postponeEnd = (connection: object): (() => void) => {
  const end = memberOf(connection, 'end')
  if (typeof end !== 'function') return () => {}
  let allow = (): void => {}
  const allowed = new Promise<void>((resolve) => {
    allow = resolve
  })
  Object.assign(connection, { end: (...args: readonly unknown[]) => allowed.then(() => end.apply(connection, args)) })
  return allow
}

// mysql2's own method only ends the stream, and a silent server never responds to that. pg keeps the socket one level down, and its own
// method waits for the statement.
const destroySocket = (connection: object): void => {
  callDestroy(connection)
  callDestroy(memberOf(memberOf(connection, 'connection') ?? connection, 'stream'))
}

const callDestroy = (target: unknown): void => {
  const destroy = memberOf(target, 'destroy')
  if (typeof destroy === 'function') destroy.call(target)
}
