import { createServer } from 'node:http'
import { claimEquals, jwtAuth } from '@jwt-auth/express'
import { settings } from './settings.js'

const auth = jwtAuth(settings)
const guard = auth.guard()
const adminGuard = auth.guard({ allow: claimEquals('role', 'admin') })

// When the middleware or a guard rejects a request, it responds itself. Otherwise it calls the function that follows `res`.
export const server = createServer((req, res) => {
  auth(req, res, () => {
    switch (req.url) {
      case '/reports':
        guard(req, res, () => res.end(JSON.stringify({ userId: auth.getAuth(req).userId })))
        break
      case '/admin':
        adminGuard(req, res, () => res.end(JSON.stringify({ role: 'admin' })))
        break
      default:
        res.end('home')
    }
  })
})
