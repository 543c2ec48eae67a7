import type { Knex } from 'knex'
import { memberOf } from './dialect.js'
import { discardConnection } from './discard-connection.js'

// Each cancellation opens a connection of its own: in an outage they must neither storm the server nor pile up.
const mostUnderWay = 4
const mostWaiting = 200

// Without this limit, a silent server keeps a cancellation, and the connection that it cancels, for as long as the driver waits.
// PostgreSQL's driver waits without a limit.
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
    discardConnection(connection, reason)
    if (knex.client.canCancelQuery && waiting.length < mostWaiting) waiting.push(connection)
    else destroySocket(connection)
    void cancelNext()
  }
}

// Never rejects: a server that can't be reached cancels nothing; the connection goes all the same.
const cancelInTime = (knex: Knex, connection: object, limitMs: number): Promise<void> =>
  new Promise((resolve) => {
    const canceller = createCanceller(knex, limitMs)
    const timer = setTimeout(() => {
      canceller.close()
      resolve()
    }, limitMs).unref()
    const finish = (): void => {
      clearTimeout(timer)
      resolve()
    }
    canceller.cancel(connection).then(finish, finish)
  })

/** Cancels one statement on a connection of its own. */
interface Canceller {
  readonly cancel: (connection: object) => Promise<unknown>
  /**
   * Closes the connection of this cancellation, immediately or as soon as the connection is open. The driver limits how long opening
   * takes, and not how long a response takes.
   */
  readonly close: () => void
}

const createCanceller = ({ client }: Knex, limitMs: number): Canceller => {
  let opened: object | undefined
  let isClosed = false

  const open = async (): Promise<object> => {
    const connection: object = await client.acquireRawConnection.call(limited)
    opened = connection
    if (isClosed) destroySocket(connection)
    return connection
  }

  const limited: Knex['client'] = Object.create(client, {
    connectionSettings: { value: limitConnecting(client, limitMs) },
    acquireRawConnection: { value: open },
  })

  return {
    cancel: (connection) => limited.cancelQuery(connection),
    close: () => {
      isClosed = true
      if (opened !== undefined) destroySocket(opened)
    },
  }
}

const limitConnecting = (client: Knex['client'], limitMs: number): object => {
  const limits =
    client.dialect === 'mysql'
      ? { connectTimeout: limitMs }
      : { connectionTimeoutMillis: limitMs, query_timeout: limitMs }
  // Property descriptors, since knex makes the password non-enumerable.
  const own = Object.getOwnPropertyDescriptors(client.connectionSettings ?? {})
  return Object.assign(Object.defineProperties({}, own), limits)
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
