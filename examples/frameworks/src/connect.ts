import { createServer } from 'node:http'
import { claimEquals, jwtAuth } from '@jwt-auth/express'
import connect from 'connect'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

const app = connect()
app.use(auth)
app.use('/reports', auth.guard())
app.use('/reports', (req, res) => {
  res.end(JSON.stringify({ userId: auth.getAuth(req).userId }))
})
app.use('/admin', auth.guard({ allow: claimEquals('role', 'admin') }))
app.use('/admin', (_req, res) => {
  res.end(JSON.stringify({ role: 'admin' }))
})
app.use('/', (_req, res) => {
  res.end('home')
})

export const server = createServer(app)
