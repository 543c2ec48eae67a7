import { allOf, claimEquals, type JwtAuthOptions, jwtAuth, type Rule, type User } from '@jwt-auth/express'
import express, { type Express } from 'express'

interface Account extends User {
  readonly id: number
  readonly role: 'admin' | 'member'
}

/** Admins act as another user for a quarter of an hour. Nobody pays as another user. */
export const createApp = (options: JwtAuthOptions<Account>): Express => {
  const auth = jwtAuth({ ...options, claims: ({ role }) => ({ role }) })
  const isNotImpersonated: Rule = ({ claims }) => claims.act === undefined
  const isAdmin = allOf(claimEquals('role', 'admin'), isNotImpersonated)

  const app = express()
  app.use(auth)
  app.post('/users/:id/impersonation', auth.guard({ allow: isAdmin, maxAuthAgeSeconds: 3_600 }), async (req, res) => {
    const { userId } = auth.getAuth(req)
    const attributes = { act: { sub: String(userId) } }
    const options = { attributes, absoluteTimeoutSeconds: 900 }
    auth.sendTokens(res, await auth.openSession(req, Number(req.params['id']), options))
  })
  app.post('/payments', auth.guard({ allow: isNotImpersonated }), (_req, res) => {
    res.sendStatus(201)
  })
  app.get('/whoami', auth.guard(), (req, res) => {
    const { userId, claims } = auth.getAuth(req)
    res.json({ userId, actor: claims.act?.sub ?? null })
  })
  return app
}
