import type { Server as HttpServer } from 'node:http'
import type { JwtAuth } from '@jwt-auth/express'
import { Server } from 'socket.io'

/** Accepts sockets of users who are logged in, and closes the socket of a session that has expired or ended. */
export const acceptSockets = (server: HttpServer, auth: Pick<JwtAuth, 'verify'>): Server => {
  const sockets = new Server(server)

  // The handshake has the access token. `verify` throws for a token that is missing, expired or revoked.
  sockets.use(async (socket, next) => {
    try {
      const { userId } = await auth.verify(socket.handshake.auth['token'])
      socket.data.userId = userId
      next()
    } catch {
      next(new Error('unauthorized'))
    }
  })

  sockets.on('connection', (socket) => {
    // A session may end while the socket is open. For a socket that only receives, call `verify` at intervals.
    socket.use(async (_, next) => {
      try {
        await auth.verify(socket.handshake.auth['token'])
        next()
      } catch {
        socket.disconnect()
      }
    })
    socket.on('report', (name, respond) => {
      // A client can send anything, and an error here would end the process.
      if (typeof name !== 'string' || typeof respond !== 'function') return
      respond(`Report of ${name} for user ${socket.data.userId}`)
    })
  })
  return sockets
}
