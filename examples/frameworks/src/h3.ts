import { createServer } from 'node:http'
import { type Auth, claimEquals, jwtAuth, type RequestRules } from '@jwt-auth/express'
import { H3, type Middleware } from 'h3'
import { toNodeHandler } from 'h3/node'
import { settings } from './settings.js'

declare module 'h3' {
  interface H3EventContext {
    caller?: Auth
  }
}

const auth = jwtAuth(settings)

const guard =
  (rules?: RequestRules): Middleware =>
  async ({ req, context }) => {
    try {
      context.caller = await auth.verifyRequest(req, rules)
      return undefined
    } catch (error) {
      return auth.toErrorResponse(error)
    }
  }

const app = new H3()
app.get('/reports', ({ context }) => ({ userId: context.caller?.userId }), { middleware: [guard()] })
app.get('/admin', () => ({ role: 'admin' }), { middleware: [guard({ allow: claimEquals('role', 'admin') })] })
app.get('/', () => 'home')

// The routes of jwt-auth need Node's request, so they run before h3.
const handler = toNodeHandler(app)
export const server = createServer((req, res) => auth(req, res, () => handler(req, res)))
