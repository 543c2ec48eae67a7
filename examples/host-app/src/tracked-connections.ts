import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The connections of a server that is about to stop. */
export interface TrackedConnections {
  /** Returns how many connections have been accepted so far. */
  readonly countAccepted: () => number
  /** From now on, the last response of each connection says `Connection: close`. */
  readonly announceClose: () => void
  /** Closes connections without a request, now and as soon as their last response is sent. */
  readonly closeIdle: () => void
}

interface Connection {
  /** Responses in the order of their requests. HTTP allows several in flight on one connection (pipelining). */
  readonly responses: Set<ServerResponse>
  /** How many bytes had arrived when the connection became idle. More bytes are the start of a request. */
  bytesWhenIdle: number
}

/**
 * Tracks the connections of a server, so that stopping the server resets none of them. Node's own `closeIdleConnections`, which `close`
 * calls, destroys connections whose next request is already on its way.
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
      // Node closes the connection behind a response that says so, and with it the responses that come after.
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
