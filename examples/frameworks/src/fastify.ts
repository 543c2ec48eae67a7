import { claimEquals, jwtAuth, type Middleware } from '@jwt-auth/express'
import Fastify, { type onRequestHookHandler } from 'fastify'
import { settings } from './settings.js'

const auth = jwtAuth(settings)

// Turns middleware into a hook.
const toHook =
  (middleware: Middleware): onRequestHookHandler =>
  (request, reply, done) =>
    middleware(request.raw, reply.raw, done)

const app = Fastify()
app.addHook('onRequest', toHook(auth))
app.get('/reports', { onRequest: toHook(auth.guard()) }, async (request) => ({
  userId: auth.getAuth(request.raw).userId,
}))
app.get('/admin', { onRequest: toHook(auth.guard({ allow: claimEquals('role', 'admin') })) }, async () => ({
  role: 'admin',
}))
app.get('/', async () => 'home')

await app.ready()
export const { server } = app
