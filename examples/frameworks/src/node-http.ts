import { createServer } from 'node:http'
import { claimEquals, jwtAuth } from '@jwt-auth/express'
import { settings } from './settings.js'

const auth = jwtAuth(settings)
const guard = auth.guard()
const adminGuard = auth.guard({ allow: claimEquals('role', 'admin') })

// The middleware and the guards respond themselves when they reject a request, and call the function after `res` for the others.
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
