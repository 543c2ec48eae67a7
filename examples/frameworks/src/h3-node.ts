import { createServer } from 'node:http'
import { claimEquals, jwtAuth, type Middleware } from '@jwt-auth/express'
import { fromNodeHandler, H3, type NodeMiddleware } from 'h3'
import { toNodeHandler } from 'h3/node'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

// The types of h3 2 include requests of HTTP/2.
const toH3 = (middleware: Middleware) => fromNodeHandler(middleware as NodeMiddleware)

const app = new H3()
app.use(toH3(auth))
app.use('/reports', toH3(auth.guard()))
app.get(
  '/reports',
  toH3((req, res) => res.end(JSON.stringify({ userId: auth.getAuth(req).userId }))),
)
app.use('/admin', toH3(auth.guard({ allow: claimEquals('role', 'admin') })))
app.get('/admin', () => ({ role: 'admin' }))
app.get('/', () => 'home')

export const server = createServer(toNodeHandler(app))
