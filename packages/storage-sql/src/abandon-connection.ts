import type { ConnectionPool } from './connection-pool.js'
import { getMember } from './get-member.js'

// Each cancellation opens a connection. During an outage, cancellations must not flood the server.
const mostInProgress = 4

// Without this limit, a silent server keeps a cancellation and the cancelled connection open until the driver times out. `pg` never
// times out.
const cancellationLimitMs = 1_000

/** Cancels the statement that runs on a connection, and discards the connection. Returns immediately and never throws. */
export type AbandonConnection<Connection extends object> = (connection: Connection, reason: unknown) => void

/**
 * Creates the function that abandons connections of a pool. At most four cancellations are in progress at a time; the others wait. The
 * pool gets each connection back after its cancellation, because PgBouncer cancels nothing for a client that has disconnected.
 *
 * @param limitMs the longest time for one cancellation, in milliseconds
 */
export const createAbandoner = <Connection extends object>(
  { cancel, release }: Pick<ConnectionPool<Connection>, 'cancel' | 'release'>,
  limitMs: number = cancellationLimitMs,
): AbandonConnection<Connection> => {
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
    const limit = AbortSignal.timeout(limitMs)
    waiting.push(async () => {
      // A cancellation that fails changes nothing: the connection is closed in any case.
      if (!limit.aborted) await cancel?.(connection, limit).catch(() => {})
      destroySocket(connection)
      await Promise.resolve(release(connection, reason)).catch(() => {})
    })
    void cancelNext()
  }
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
