import { createServer } from 'node:http'
import { isAuthError, jwtAuth } from '@jwt-auth/express'
import { Server } from 'socket.io'
import { settings } from './settings.js'

/** @param recheckMs How often each socket is checked again: sessions also end on other instances, and by expiry. */
export const createApp = (recheckMs = 60_000) => {
  const auth = jwtAuth({
    ...settings,
    onEvent: (event) => {
      if (event.type === 'session_ended') io.in(`session:${event.sessionId}`).disconnectSockets(true)
      if (event.type === 'sessions_ended') io.in(`user:${event.userId}`).disconnectSockets(true)
    },
  })
  const server = createServer((req, res) => auth(req, res))
  const io = new Server(server)

  io.use(async (socket, next) => {
    try {
      const { userId, sessionId } = await auth.verify(socket.handshake.auth['token'])
      socket.data.userId = userId
      await socket.join([`session:${sessionId}`, `user:${userId}`])
      next()
    } catch (error) {
      const code = isAuthError(error) ? error.code : 'jwt_auth_internal_error'
      next(Object.assign(new Error(code), { data: { code } }))
    }
  })

  io.on('connection', (socket) => {
    const check = () => auth.verify(socket.handshake.auth['token']).catch(() => socket.disconnect(true))
    const timer = setInterval(check, recheckMs)
    socket.on('disconnect', () => clearInterval(timer))
    socket.on('whoami', (respond) => {
      // A client can send anything, and an error here would end the process.
      if (typeof respond === 'function') respond(socket.data.userId)
    })
  })
  return { auth, server, io }
}
