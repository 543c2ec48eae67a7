import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server that is about to stop. */
export interface TrackedConnections {
  /** Returns how many connections have been accepted so far. */
  readonly countAccepted: () => number
  /** Adds `Connection: close` to the last response of each connection from now on. */
  readonly announceClose: () => void
  /**
   * Closes idle connections immediately, and the others after their last response. A connection is not idle if it has received
   * a part of a request, even half of its head.
   */
  readonly closeIdle: () => void
}

/** Responses in the order of their requests. HTTP allows several in flight on one connection (pipelining). */
type Responses = Set<ServerResponse>

/**
 * Tracks the connections of a server, so that no connection is reset when the server stops. `close` of Node calls `closeIdleConnections`,
 * which destroys connections whose next request is already in flight.
 */
export const trackConnections = (server: Server): TrackedConnections => {
  const connections = new Map<Socket, Responses>()
  let accepted = 0
  let state: 'open' | 'announcing' | 'closing' = 'open'
  const closeIdleConnections = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {}

  const announce = (responses: Responses): void => {
    const last = [...responses].at(-1)
    for (const response of responses) {
      if (response.headersSent) continue
      // Node closes the connection after a response with this header, and drops the later responses.
      if (response === last) response.setHeader('Connection', 'close')
      else response.removeHeader('Connection')
    }
  }
  const closeIdle = (): void => {
    // Node counts a connection as active until its first request.
    for (const socket of connections.keys()) if (socket.bytesRead === 0) socket.destroySoon()
    // Node would also destroy connections whose last response is still being sent. When that response ends, this function is called
    // again.
    const isSending = [...connections.values()].some((responses) => [...responses].some(isEnded))
    if (!isSending) closeIdleConnections()
  }

  server.on('connection', (socket) => {
    accepted += 1
    connections.set(socket, new Set())
    socket.once('close', () => connections.delete(socket))
  })
  // Before the listener of the application, which may respond immediately.
  server.prependListener('request', ({ socket }, response) => {
    const responses = connections.get(socket)
    if (responses === undefined) return
    responses.add(response)
    if (state !== 'open') announce(responses)
    response.once('close', () => {
      responses.delete(response)
      if (state === 'closing') closeIdle()
    })
  })

  return {
    countAccepted: () => accepted,
    announceClose: () => {
      state = 'announcing'
      for (const responses of connections.values()) announce(responses)
    },
    closeIdle: () => {
      state = 'closing'
      closeIdle()
    },
  }
}

const isEnded = ({ writableEnded }: ServerResponse): boolean => writableEnded
