import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { type TrackedConnections, trackConnections } from './tracked-connections.js'

/** A listening server. */
export interface RunningServer {
  /** The scheme, host and port of its URL. */
  readonly origin: string
  /**
   * Stops accepting connections and responds to every request that has arrived, with `Connection: close`. Waits for the rest of a
   * request that has arrived in part. Resolves to `'aborted'` when requests took more than eight seconds and were aborted.
   *
   * A client that sends a part of its next request before it has received the response gets no response to the next request. It
   * repeats the request on another connection, because `Connection: close` says that no further request is processed (RFC 9112,
   * section 9.6).
   */
  readonly stop: () => Promise<'finished' | 'aborted'>
}

// Longer than the 60 seconds for which most balancers keep an idle connection. Otherwise the server could close a connection on
// which the balancer has just sent a request.
const keepAliveTimeout = 65_000
const longestStopMs = 8_000
// A client may send its next request before it receives `Connection: close`.
const idleGraceMs = 1_000
// The server closes when no new connection has arrived for `quietMs`, and after `longestHoldMs` in any case.
const quietMs = 200
const longestHoldMs = 2_000

/** Starts a server. Rejects when it cannot listen, for example because the port is in use. */
export const startServer = async (listener: RequestListener, host: string, port: number): Promise<RunningServer> => {
  const requests = createRequestHold(listener)
  const server = createServer({ keepAliveTimeout }, requests.listener)
  const connections = trackConnections(server)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return { origin: toOrigin(server, host), stop: () => stop({ server, connections, requests }) }
}

const toOrigin = (server: Server, host: string): string => {
  const address = server.address()
  const port = isAddressInfo(address) ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

const isAddressInfo = (address: string | AddressInfo | null): address is AddressInfo =>
  typeof address === 'object' && address !== null

const stop = async (parts: StoppingParts): Promise<'finished' | 'aborted'> => {
  const { server, connections } = parts
  let outcome: 'finished' | 'aborted' = 'finished'
  const timer = setTimeout(() => {
    outcome = 'aborted'
    server.closeAllConnections()
  }, longestStopMs)
  const closed = once(server, 'close')
  await closeListener(parts)
  await Promise.race([closed, wait(idleGraceMs, undefined, { ref: false })])
  await setImmediate()
  connections.closeIdle()
  await closed
  clearTimeout(timer)
  return outcome
}

// The operating system accepts connections before Node. When the server closes, the system resets the connections that Node has not
// accepted. So requests are held for a moment: their clients wait, no new connection comes, and the queue of the system becomes empty.
const closeListener = async ({ server, connections, requests }: StoppingParts): Promise<void> => {
  connections.announceClose()
  requests.hold()
  const latest = Date.now() + longestHoldMs
  for (let accepted = -1; accepted !== connections.countAccepted() && Date.now() < latest; ) {
    accepted = connections.countAccepted()
    await wait(quietMs)
  }
  await setImmediate()
  server.close()
  requests.release()
}

/** Creates a listener that passes requests on, or holds them until the release. */
const createRequestHold = (listener: RequestListener) => {
  let held: (() => void)[] | undefined
  return {
    listener: ((req, res) => {
      if (held === undefined) listener(req, res)
      else held.push(() => listener(req, res))
    }) satisfies RequestListener,
    hold: () => {
      held = []
    },
    release: () => {
      const waiting = held ?? []
      held = undefined
      for (const pass of waiting) pass()
    },
  }
}

interface StoppingParts {
  readonly server: Server
  readonly connections: TrackedConnections
  readonly requests: Pick<ReturnType<typeof createRequestHold>, 'hold' | 'release'>
}
