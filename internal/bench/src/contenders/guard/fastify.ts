import { guardedBody } from '../open-express.js'
import { openFastify } from '../open-fastify.js'
import type { ServerContender } from '../server-contender.js'

export const contender: ServerContender = {
  title: 'bare Fastify',
  checks: 'nothing',
  bare: 'fastify',
  open: async () => ({
    listener: await openFastify((app) => {
      app.get('/', async () => guardedBody)
    }),
  }),
}
