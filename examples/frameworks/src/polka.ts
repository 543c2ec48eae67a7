import { createServer, type RequestListener } from 'node:http'
import { claimEquals, jwtAuth } from '@jwt-auth/express'
import polka from 'polka'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

const app = polka()
app.use(auth)
app.get('/reports', auth.guard(), (req, res) => {
  res.end(JSON.stringify({ userId: auth.getAuth(req).userId }))
})
app.get('/admin', auth.guard({ allow: claimEquals('role', 'admin') }), (_req, res) => {
  res.end(JSON.stringify({ role: 'admin' }))
})
app.get('/', (_req, res) => {
  res.end('home')
})

// Polka's types do not say that its handler accepts Node's requests. In your application, call app.listen(3000) instead.
export const server = createServer(app.handler as RequestListener)
