import type { JwtAuth } from '@jwt-auth/express'
import express, { type Express } from 'express'
import type { Accounts } from './accounts.js'
import { answerFailure, noRoute } from './failures.js'
import { accountRoutes } from './routes/account.js'
import { contentRoutes } from './routes/content.js'
import { homeRoute } from './routes/home.js'
import { sessionRoutes } from './routes/sessions.js'

/** The site: jwt-auth's routes, and the host's own behind its guard, all below one path. */
export const createApp = (auth: JwtAuth, accounts: Accounts, basePath: string): Express => {
  const site = express.Router()
  site.use(homeRoute(basePath))
  site.use(auth)
  site.use(contentRoutes(auth, accounts.users))
  site.use('/api/sessions', auth.guard(), sessionRoutes(auth))
  site.use('/api/account', auth.guard(), accountRoutes(auth, accounts))

  const app = express()
  app.disable('x-powered-by')
  app.use(basePath === '' ? '/' : basePath, site)
  app.use(noRoute)
  app.use(answerFailure(auth))
  return app
}
