import type { JwtAuth } from '@jwt-auth/express'
import express, { type Express, type RequestHandler } from 'express'
import type { Accounts } from './accounts.js'
import type { HostEnvironment } from './environment.js'
import { answerFailure, noRoute } from './failures.js'
import { accountRoutes } from './routes/account.js'
import { contentRoutes } from './routes/content.js'
import { homeRoute } from './routes/home.js'
import { sessionRoutes } from './routes/sessions.js'

/** What the environment says of the site. */
export type AppOptions = Pick<HostEnvironment, 'basePath' | 'trustProxy'>

/** The site: jwt-auth's routes, and the host's own behind its guard, all below one path. */
export const createApp = (auth: JwtAuth, accounts: Accounts, { basePath, trustProxy }: AppOptions): Express => {
  const site = express.Router()
  site.use(['/api', '/wp'], dependOnUser)
  site.use(homeRoute(basePath))
  site.use(auth)
  site.use(contentRoutes(auth, accounts.users))
  site.use('/api/sessions', auth.guard(), sessionRoutes(auth))
  site.use('/api/account', auth.guard(), accountRoutes(auth, accounts))

  const app = express()
  app.disable('x-powered-by')
  if (trustProxy !== undefined) app.set('trust proxy', trustProxy)
  app.use(basePath === '' ? '/' : basePath, site)
  app.use(noRoute)
  app.use(answerFailure(auth))
  return app
}

// No cache may keep what a user sees, or show it to another user.
const dependOnUser: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store').vary('Authorization')
  next()
}
