import { type JwtAuthOptions, jwtAuth, type User } from '@jwt-auth/express'
import express, { type Express, type Request } from 'express'

interface Account extends User {
  readonly id: number
}

/** A user who belongs to several tenants chooses one, and stays in it until they choose another. */
export const createApp = (
  options: JwtAuthOptions<Account>,
  isMember: (userId: number, tenant: string) => Promise<boolean>,
): Express => {
  const auth = jwtAuth({ ...options, claims: (_, { attributes }) => ({ tenant: attributes['tenant'] }) })

  const app = express()
  app.use(auth)
  app.post('/tenants/:tenant/session', auth.guard(), async (req: Request<{ tenant: string }>, res) => {
    const { userId, sessionId } = auth.getAuth(req)
    const { tenant } = req.params
    if (!(await isMember(userId, tenant))) return void res.sendStatus(403)
    const tokens = await auth.openSession(req, userId, { attributes: { tenant } })
    await auth.sessions.revoke(userId, sessionId)
    auth.sendTokens(res, tokens)
  })
  app.get(
    '/tenants/:tenant/orders',
    auth.guard({ allow: ({ claims }, req: Request<{ tenant: string }>) => claims.tenant === req.params.tenant }),
    (req, res) => {
      res.json({ tenant: req.params.tenant, orders: [] })
    },
  )
  return app
}
