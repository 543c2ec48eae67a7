import { isAuthError, type JwtAuth } from '@jwt-auth/express'
import express, { type ErrorRequestHandler, type Express, type Response, Router } from 'express'
import { accountRoutes } from './account-routes.js'
import type { Accounts } from './accounts.js'
import type { HostEnvironment } from './environment.js'
import { pageRoutes } from './page.js'

/** Creates the site: the routes of jwt-auth, and the routes of this application behind its guard, all below `basePath`. */
export const createApp = (auth: JwtAuth, accounts: Accounts, environment: HostEnvironment): Express => {
  const { basePath, trustProxy } = environment
  const site = Router()
  // Caches must not store the responses for one user, nor serve them to another user.
  site.use(['/api', '/wp'], (_req, res, next) => {
    res.set('Cache-Control', 'no-store').vary('Authorization')
    next()
  })
  site.use(pageRoutes(auth, environment))
  site.use(auth)
  site.use(contentRoutes(auth, accounts, environment))
  site.use('/api/account', auth.guard(), accountRoutes(auth, accounts))

  const app = express()
  app.disable('x-powered-by')
  app.set('trust proxy', trustProxy)
  app.use(basePath === '' ? '/' : basePath, site)
  app.use((_req, res) => sendFailure(res, 404, 'host_app_no_route', 'No route was found matching the URL.'))
  app.use(handleError(auth))
  return app
}

const contentRoutes = (auth: JwtAuth, { users }: Accounts, { otherInstance }: HostEnvironment): Router => {
  const router = Router()

  router.get('/health', (_req, res) => {
    res.json({ status: 'ok' })
  })

  router.get('/api/reports', auth.guard(), (req, res) => {
    const reports = [
      { id: 1, title: 'Visitors this week' },
      { id: 2, title: 'Open invoices' },
    ]
    res.json({ user_id: auth.getAuth(req).userId, reports })
  })

  router.get('/api/greeting', auth.guard({ optional: true }), async (req, res) => {
    const caller = auth.getOptionalAuth(req)
    const user = caller && (await users.findById(caller.userId))
    res.json({ greeting: `Hello, ${user?.displayName ?? 'guest'}!` })
  })

  // Existing clients call this path.
  router.get('/wp/v2/users/me', auth.guard(), async (req, res) => {
    const user = await users.findById(auth.getAuth(req).userId)
    if (user === undefined) return sendFailure(res, 404, 'host_app_user_not_found', 'There is no such user any more.')
    res.json({ id: user.id, name: user.displayName, slug: user.username, link: '', email: user.email })
  })

  // Says when and why a session of the caller ended.
  router.get('/api/sessions/:id', auth.guard(), async (req, res) => {
    const sessions = await auth.sessions.list(auth.getAuth(req).userId, { includeEnded: true })
    const session = sessions.find(({ id }) => id === req.params['id'])
    if (session === undefined) return sendFailure(res, 404, 'host_app_session_not_found', 'You have no such session.')
    const { id, endedAt, endReason, expiresAt } = session
    res.json({ id, ended_at: endedAt, end_reason: endReason, expires_at: expiresAt })
  })

  // Ends the session on another instance, as a load balancer would if it sent the logout there.
  router.post('/api/other-instance/revoke', auth.guard(), async (req, res) => {
    if (otherInstance === undefined)
      return sendFailure(res, 404, 'host_app_no_other_instance', 'OTHER_INSTANCE is not set.')
    try {
      const response = await fetch(`${otherInstance}/jwt-auth/v1/token/revoke`, {
        method: 'POST',
        headers: { Authorization: req.get('authorization') ?? '' },
        redirect: 'error',
        signal: AbortSignal.timeout(5_000),
      })
      res.status(response.status).json(await response.json())
    } catch {
      sendFailure(res, 502, 'host_app_other_instance_failed', 'The other instance did not respond.')
    }
  })

  return router
}

/** Sends an error in the form of jwt-auth's errors. */
const sendFailure = (res: Response, status: number, ...[code, message]: readonly [code: string, message: string]) => {
  res.status(status).json({ code, message, data: { status } })
}

const handleError =
  (auth: JwtAuth): ErrorRequestHandler =>
  (error: unknown, _req, res, next) => {
    if (res.headersSent) return next(error)
    // The parsers and the router of Express throw errors with a status. Their messages may repeat parts of the request.
    const status = error instanceof Error && !isAuthError(error) && 'status' in error ? Number(error.status) : 500
    if (status < 400 || status >= 500) return auth.sendError(res, error)
    sendFailure(res, status, 'host_app_bad_request', 'The request could not be read.')
  }
