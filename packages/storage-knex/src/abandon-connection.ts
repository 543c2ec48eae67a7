import type { Knex } from 'knex'
import { cancelOn } from './cancel-statement.js'
import { getMember } from './dialect.js'
import { discardConnection } from './discard-connection.js'

// Each cancellation opens a connection. During an outage, cancellations must not flood the server.
const mostInProgress = 4

// Without this limit, a silent server keeps a cancellation and the cancelled connection open until the driver times out. `pg` never
// times out.
const cancellationLimitMs = 1_000

/** Discards a connection of the pool and cancels the statement that runs on it. Returns immediately and never throws. */
export type AbandonConnection = (connection: object, reason: unknown) => void

/**
 * Creates the function that abandons connections of a knex instance. At most four cancellations are in progress at a time; the others
 * wait. Each connection is closed after its cancellation.
 *
 * @param limitMs the longest time for one cancellation, in milliseconds
 */
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
      // A cancellation that fails changes nothing: the connection is closed in any case.
      if (!limit.aborted) await cancel?.(knex.client, connection, limit).catch(() => {})
      destroySocket(connection)
      allowEnd()
    })
    void cancelNext()
  }
}

// The pool ends a discarded connection at the next request for one. PgBouncer cancels nothing for a client that has disconnected.
const postponeEnd = (connection: object): (() => void) => {
  const end = getMember(connection, 'end')
  if (typeof end !== 'function') return () => {}
  let allow = (): void => {}
  const allowed = new Promise<void>((resolve) => {
    allow = resolve
  })
  Object.assign(connection, { end: (...args: readonly unknown[]) => allowed.then(() => end.apply(connection, args)) })
  return allow
}

// `destroy` of mysql2 only ends the stream, and a silent server never responds to that. pg has the socket in a nested object, and `end`
// of pg waits for the statement.
const destroySocket = (connection: object): void => {
  callDestroy(connection)
  callDestroy(getMember(getMember(connection, 'connection') ?? connection, 'stream'))
}

const callDestroy = (target: unknown): void => {
  const destroy = getMember(target, 'destroy')
  if (typeof destroy === 'function') destroy.call(target)
}
