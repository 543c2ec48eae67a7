import { type JwtAuthOptions, jwtAuth } from '@jwt-auth/express'
import express, { type Express } from 'express'

/** An application that other services ask about access tokens. nginx stands in front of it. */
export const createApp = (options: JwtAuthOptions): Express => {
  const auth = jwtAuth({ ...options, audience: 'reports' })

  const app = express()
  app.set('trust proxy', 'loopback')
  app.use(auth)
  app.use('/.well-known/jwks.json', auth.jwks())
  app.get('/authorize', auth.guard(), (req, res) => {
    res.set('X-User-Id', String(auth.getAuth(req).userId)).sendStatus(204)
  })
  return app
}
