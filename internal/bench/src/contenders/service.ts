import type { IncomingMessage, RequestListener } from 'node:http'
import { hashPassword, jwtAuth, passwordUsers } from '@jwt-auth/express'
import express from 'express'
import { openStorage } from '../stores.js'
import { sampleUser, urlOf, type World } from '../world.js'

/** Opens the whole service on PostgreSQL, with all limits, and a guarded route. */
export const openService = async (world: World): Promise<RequestListener> => {
  const { secret, issuer, audience } = world
  const passwordHash = await hashPassword('correct horse battery staple', { cost: 10 })
  const find = async (id: number) => ({ ...sampleUser(id), passwordHash })
  const auth = jwtAuth({
    ...{ secret, issuer, audience, storage: await openStorage('PostgreSQL', urlOf(world, 'PostgreSQL')) },
    users: passwordUsers({
      cost: 10,
      findByUsername: (name) => find(Number(name.replace('user-', ''))),
      findById: (id) => find(Number(id)),
    }),
    clientAddress: (req: IncomingMessage) => String(req.headers['x-forwarded-for'] ?? '127.0.0.1'),
    onError: () => {},
  })
  return express()
    .use(auth)
    .get('/', auth.guard(), (_req, res) => {
      res.json({ received: true })
    })
}
