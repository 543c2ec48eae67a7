import type { JwtAuth } from '@jwt-auth/express'
import express, { type Express, type RequestHandler } from 'express'
import type { HostEnvironment } from './environment.js'
import { handleError, noRoute } from './failures.js'
import { accountRoutes } from './routes/account.js'
import { apiDescriptionRoutes } from './routes/api-description.js'
import { contentRoutes } from './routes/content.js'
import { homeRoute } from './routes/home.js'
import { otherInstanceRoutes } from './routes/other-instance.js'
import { pageFiles } from './routes/page.js'
import { sessionRoutes } from './routes/sessions.js'
import type { Stores } from './stores.js'

/** The settings of the site. */
export type AppOptions = Pick<HostEnvironment, 'basePath' | 'otherInstance' | 'refreshGraceSeconds' | 'trustProxy'>

/** Creates the site: the routes of jwt-auth, and the routes of this application behind its guard, all below `basePath`. */
export const createApp = (auth: JwtAuth, { accounts }: Pick<Stores, 'accounts'>, options: AppOptions): Express => {
  const { basePath, otherInstance, trustProxy } = options
  const site = express.Router()
  site.use(['/api', '/wp'], dependOnUser)
  site.use(homeRoute(options))
  site.use(pageFiles())
  site.use(apiDescriptionRoutes(auth, basePath))
  site.use(auth)
  site.use(contentRoutes(auth, accounts.users))
  site.use('/api/sessions', auth.guard(), sessionRoutes(auth))
  site.use('/api/account', auth.guard(), accountRoutes(auth, accounts))
  site.use('/api/other-instance', auth.guard(), otherInstanceRoutes(otherInstance))

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
