// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import Fastify from 'fastify'
import { auth } from './service.js'

/** The caller of a route of Fastify, without a cast. */
export const checkFastify = (): void => {
  const app = Fastify()
  const guard = auth.guard({ allow: ({ claims }, req) => req.url === claims.role })
  app.addHook('preHandler', (request, reply, done) => guard(request.raw, reply.raw, done))
  app.get('/reports', async (request) => ({ by: auth.getAuth(request.raw).userId.toFixed() }))
}
