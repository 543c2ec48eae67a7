import fastifyJwt from '@fastify/jwt'
import { guardedBody } from '../open-express.js'
import { openFastify } from '../open-fastify.js'
import type { ServerContender } from '../server-contender.js'

export const contender: ServerContender = {
  title: '@fastify/jwt',
  checks: 'token',
  bare: 'fastify',
  open: async ({ secret, issuer, audience }) => ({
    listener: await openFastify(async (app) => {
      await app.register(fastifyJwt, {
        secret,
        verify: { algorithms: ['HS256'], allowedIss: issuer, allowedAud: audience },
      })
      app.get('/', { onRequest: (request) => request.jwtVerify() }, async () => guardedBody)
    }),
  }),
}
