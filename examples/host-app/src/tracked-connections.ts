import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server that is about to stop. */
export interface TrackedConnections {
  /** Returns how many connections have been accepted so far. */
  readonly countAccepted: () => number
  /** Adds `Connection: close` to the last response of each connection from now on. */
  readonly announceClose: () => void
  /** Closes idle connections immediately, and the others after their last response. */
  readonly closeIdle: () => void
}

interface Connection {
  /** Responses in the order of their requests. HTTP allows several in flight on one connection (pipelining). */
  readonly responses: Set<ServerResponse>
  /** The number of bytes that had arrived when the connection became idle. More bytes are the start of a request. */
  bytesWhenIdle: number
}

/**
 * Tracks the connections of a server, so that no connection is reset when the server stops. `close` of Node calls `closeIdleConnections`,
 * which destroys connections whose next request is already in flight.
 */
export const trackConnections = (server: Server): TrackedConnections => {
  const connections = new Map<Socket, Connection>()
  let accepted = 0
  let state: 'open' | 'announcing' | 'closing' = 'open'
  server.closeIdleConnections = () => {}

  const announce = ({ responses }: Connection): void => {
    const last = [...responses].at(-1)
    for (const response of responses) {
      if (response.headersSent) continue
      // Node closes the connection after a response with this header, and drops the later responses.
      if (response === last) response.setHeader('Connection', 'close')
      else response.removeHeader('Connection')
    }
  }
  const closeIfIdle = (socket: Socket, { responses, bytesWhenIdle }: Connection): void => {
    if (responses.size === 0 && socket.bytesRead === bytesWhenIdle) socket.destroySoon()
  }

  server.on('connection', (socket) => {
    accepted += 1
    connections.set(socket, { responses: new Set(), bytesWhenIdle: 0 })
    socket.once('close', () => connections.delete(socket))
  })
  server.on('request', ({ socket }, response) => {
    const connection = connections.get(socket)
    if (connection === undefined) return
    connection.responses.add(response)
    if (state !== 'open') announce(connection)
    response.once('close', () => {
      connection.responses.delete(response)
      connection.bytesWhenIdle = socket.bytesRead
      if (state === 'closing') closeIfIdle(socket, connection)
    })
  })

  return {
    countAccepted: () => accepted,
    announceClose: () => {
      state = 'announcing'
      for (const connection of connections.values()) announce(connection)
    },
    closeIdle: () => {
      state = 'closing'
      for (const [socket, connection] of connections) closeIfIdle(socket, connection)
    },
  }
}
