import { claimIncludes, type JwtAuthOptions, jwtAuth, type User } from '@jwt-auth/express'
import express, { type Express } from 'express'

interface Account extends User {
  readonly id: number
}

/** A user who is logged in sends a code, and then may see the reports. `isRightCode` limits wrong codes. */
export const createApp = (
  options: JwtAuthOptions<Account>,
  isRightCode: (userId: number, code: unknown) => Promise<boolean>,
): Express => {
  const auth = jwtAuth(options)

  const app = express()
  app.use(auth)
  app.post('/second-factor', auth.guard(), express.json(), async (req, res) => {
    const { userId, sessionId } = auth.getAuth(req)
    if (!(await isRightCode(userId, req.body?.code))) return void res.sendStatus(403)
    const tokens = await auth.openSession(req, userId, { attributes: { amr: ['pwd', 'otp'] } })
    await auth.sessions.revoke(userId, sessionId)
    auth.sendTokens(res, tokens)
  })
  app.get('/reports', auth.guard({ allow: claimIncludes('amr', 'otp') }), (_req, res) => {
    res.json({ reports: [] })
  })
  return app
}
