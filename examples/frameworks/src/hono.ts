import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { type Auth, claimEquals, jwtAuth, type RequestRules } from '@jwt-auth/express'
import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

const guard = (rules?: RequestRules) =>
  createMiddleware<{ Variables: { caller: Auth } }>(async (context, next) => {
    context.set('caller', await auth.verifyRequest(context.req.raw, rules))
    await next()
  })

const app = new Hono()
app.onError((error) => auth.toErrorResponse(error))
app.get('/reports', guard(), (context) => context.json({ userId: context.get('caller').userId }))
app.get('/admin', guard({ allow: claimEquals('role', 'admin') }), (context) => context.json({ role: 'admin' }))
app.get('/', (context) => context.text('home'))

// The routes of jwt-auth need Node's request, so they run before Hono.
const handler = getRequestListener(app.fetch)
export const server = createServer((req, res) => auth(req, res, () => handler(req, res)))
