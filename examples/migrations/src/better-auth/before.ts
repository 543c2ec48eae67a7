import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { bearer } from 'better-auth/plugins'
import express, { type Express } from 'express'

/** The application with better-auth and its plugin `bearer`. */
export const createApp = (options: BetterAuthOptions): Express => {
  const auth = betterAuth({ ...options, emailAndPassword: { enabled: true }, plugins: [bearer()] })
  const app = express()
  app.all('/api/auth/{*path}', toNodeHandler(auth))

  app.get('/reports', async (req, res) => {
    const found = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) })
    if (found === null) return void res.sendStatus(401)
    res.json({ userId: found.user.id })
  })

  return app
}
