import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'

/** A listening server. */
export type RunningServer = Awaited<ReturnType<typeof startServer>>

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
export const startServer = async (host: string, port: number) => {
  const server = createServer({ keepAliveTimeout })
  const connections = trackConnections(server)
  let held: (() => void)[] | undefined
  await once(server.listen(port, host), 'listening')

  // The operating system accepts connections before Node. When the server closes, the system resets the connections that Node has
  // not accepted. So requests are held for a moment: their clients wait, no new connection comes, and the queue of the system
  // becomes empty.
  const closeListener = async (): Promise<void> => {
    connections.announceClose()
    held = []
    const latest = Date.now() + longestHoldMs
    for (let accepted = -1; accepted !== connections.countAccepted() && Date.now() < latest; ) {
      accepted = connections.countAccepted()
      await wait(quietMs)
    }
    await setImmediate()
    server.close()
    const waiting = held
    held = undefined
    for (const pass of waiting) pass()
  }

  return {
    /** The scheme, host and port of its URL. */
    origin: toOrigin(server, host),

    /** Passes requests to a listener. Call it before the next turn of the event loop. */
    serve: (listener: RequestListener): void => {
      server.on('request', (req, res) => {
        if (held === undefined) listener(req, res)
        else held.push(() => listener(req, res))
      })
    },

    /**
     * Stops accepting connections and responds to every request that has arrived, with `Connection: close`. Waits for the rest of a
     * request that has arrived in part. Resolves to `'aborted'` when requests took more than eight seconds and were aborted.
     *
     * A client that sends a part of its next request before it has received the response gets no response to the next request. It
     * repeats the request on another connection, because `Connection: close` says that no further request is processed (RFC 9112,
     * section 9.6).
     */
    stop: async () => {
      let outcome: 'finished' | 'aborted' = 'finished'
      const timer = setTimeout(() => {
        outcome = 'aborted'
        server.closeAllConnections()
      }, longestStopMs)
      const closed = once(server, 'close')
      await closeListener()
      await Promise.race([closed, wait(idleGraceMs, undefined, { ref: false })])
      await setImmediate()
      connections.closeIdle()
      await closed
      clearTimeout(timer)
      return outcome
    },
  }
}

const toOrigin = (server: Server, host: string): string => {
  // A server that listens at a port has this address.
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/**
 * Tracks the connections of a server, so that no connection is reset when the server stops. `close` of Node calls `closeIdleConnections`,
 * which destroys connections whose next request is already in flight.
 */
export const trackConnections = (server: Server) => {
  const sockets = new Set<Socket>()
  const responses = new Set<ServerResponse>()
  let accepted = 0
  let state: 'open' | 'announcing' | 'closing' = 'open'
  const closeIdleConnections = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {}

  const closeIdle = (): void => {
    state = 'closing'
    // Node counts a connection as active until its first request.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroySoon()
    // Node would also destroy connections whose last response is still being sent. When that response ends, this function is called
    // again.
    if (![...responses].some(({ writableEnded }) => writableEnded)) closeIdleConnections()
  }
  server.on('connection', (socket) => {
    accepted += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('request', (_req, response) => {
    responses.add(response)
    if (state !== 'open') response.setHeader('Connection', 'close')
    response.once('close', () => {
      responses.delete(response)
      if (state === 'closing') closeIdle()
    })
  })
  return {
    /** Returns how many connections have been accepted so far. */
    countAccepted: () => accepted,
    /** Adds `Connection: close` to the responses from now on. */
    announceClose: () => {
      state = 'announcing'
      for (const response of responses) if (!response.headersSent) response.setHeader('Connection', 'close')
    },
    /** Closes idle connections immediately, and the others after their response. Half a head of a request counts as a request. */
    closeIdle,
  }
}
