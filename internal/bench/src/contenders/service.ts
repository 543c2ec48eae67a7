import type { IncomingMessage, RequestListener } from 'node:http'
import { jwtAuth } from '@jwt-auth/express'
import { createHashingQueue } from '@jwt-auth/passwords'
import express from 'express'
import { routes } from '../load/journeys.js'
import { openStorage } from '../stores.js'
import { createPasswordUsers, urlOf, type World } from '../world.js'

const [password, cost] = ['correct horse battery staple', 10]

/** Opens the whole service on PostgreSQL, with all limits, and a guarded route. */
export const openService = async (world: World): Promise<RequestListener> => {
  const { secret, issuer, audience } = world
  const auth = jwtAuth({
    ...{ secret, issuer, audience, storage: await openStorage('PostgreSQL', urlOf(world, 'PostgreSQL')) },
    users: await createPasswordUsers(password, cost),
    clientAddress: (req: IncomingMessage) => String(req.headers['x-forwarded-for'] ?? '127.0.0.1'),
    onError: () => {},
  })
  return express()
    .use(auth)
    .get('/', auth.guard(), (_req, res) => {
      res.json({ received: true })
    })
}

/**
 * Opens Express without a guard, a store and limits. Its logins hash in as many threads as those of
 * the service, and its queue refuses the same ones.
 */
export const openBareService = async (): Promise<RequestListener> => {
  const { default: bcrypt } = await import('bcrypt')
  const hash = await bcrypt.hash(password, cost)
  const queue = createHashingQueue()
  return express()
    .get('/', (_req, res) => {
      res.json({ received: true })
    })
    .post(routes.login, express.json(), async (req, res) => {
      const check = queue.run(() => bcrypt.compare(req.body.password, hash), {
        isKnown: false,
        network: String(req.headers['x-forwarded-for']),
      })
      const status = await check.then(
        () => 403,
        () => 503,
      )
      res.status(status).json({})
    })
}
