import type { JwtAuth } from '@jwt-auth/express'
import express, { type Express, type RequestHandler } from 'express'
import type { Accounts } from './accounts.js'
import type { HostEnvironment } from './environment.js'
import { handleError, noRoute } from './failures.js'
import { accountRoutes } from './routes/account.js'
import { contentRoutes } from './routes/content.js'
import { homeRoute } from './routes/home.js'
import { sessionRoutes } from './routes/sessions.js'

/** The settings of the site. */
export type AppOptions = Pick<HostEnvironment, 'basePath' | 'trustProxy'>

/** Creates the site: the routes of jwt-auth, and the routes of this application behind its guard, all below `basePath`. */
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
  app.use(handleError(auth))
  return app
}

// Caches must not store the responses for one user, nor serve them to another user.
const dependOnUser: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store').vary('Authorization')
  next()
}
