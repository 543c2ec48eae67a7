import type { IncomingMessage, RequestListener } from 'node:http'
import { jwtAuth } from '@jwt-auth/express'
import express from 'express'
import { openStorage } from '../stores.js'
import { createPasswordUsers, urlOf, type World } from '../world.js'

/** Opens the whole service on PostgreSQL, with all limits, and a guarded route. */
export const openService = async (world: World): Promise<RequestListener> => {
  const { secret, issuer, audience } = world
  const auth = jwtAuth({
    ...{ secret, issuer, audience, storage: await openStorage('PostgreSQL', urlOf(world, 'PostgreSQL')) },
    users: await createPasswordUsers('correct horse battery staple', 10),
    clientAddress: (req: IncomingMessage) => String(req.headers['x-forwarded-for'] ?? '127.0.0.1'),
    onError: () => {},
  })
  return express()
    .use(auth)
    .get('/', auth.guard(), (_req, res) => {
      res.json({ received: true })
    })
}
