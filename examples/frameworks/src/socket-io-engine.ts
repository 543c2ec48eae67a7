import { createServer } from 'node:http'
import { jwtAuth } from '@jwt-auth/express'
import { Server } from 'socket.io'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

export const server = createServer((req, res) => auth(req, res))
export const io = new Server(server)
io.engine.use(auth.guard())

io.on('connection', (socket) => {
  const { userId } = auth.getAuth(socket.request)
  socket.on('whoami', (respond) => {
    // A client can send anything, and an error here would end the process.
    if (typeof respond === 'function') respond(userId)
  })
})
