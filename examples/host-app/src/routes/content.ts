import type { JwtAuth, User, UserDirectory } from '@jwt-auth/express'
import { Router } from 'express'
import { HostError } from '../failures.js'

/** Creates the content routes: reports for users, a greeting for everybody, and `GET /wp/v2/users/me`, which existing clients call. */
export const contentRoutes = (auth: JwtAuth, users: UserDirectory): Router => {
  const router = Router()

  router.get('/health', (_req, res) => {
    res.json({ status: 'ok' })
  })

  router.get('/api/reports', auth.guard(), (req, res) => {
    res.json({
      user_id: auth.getAuth(req).userId,
      reports: [
        { id: 1, title: 'Visitors this week' },
        { id: 2, title: 'Open invoices' },
      ],
    })
  })

  router.get('/api/greeting', auth.guard({ optional: true }), async (req, res) => {
    const caller = auth.getOptionalAuth(req)
    const user = caller && (await users.findById(caller.userId))
    res.json({ greeting: `Hello, ${user?.displayName ?? 'guest'}!` })
  })

  router.get('/wp/v2/users/me', auth.guard(), async (req, res) => {
    const user = await users.findById(auth.getAuth(req).userId)
    if (user === undefined) throw new HostError(404, 'host_app_user_not_found', 'There is no such user any more.')
    res.json(toUserBody(user))
  })

  return router
}

const toUserBody = (user: User): object => ({
  id: user.id,
  name: user.displayName,
  slug: user.nicename,
  link: user.link ?? '',
  email: user.email,
})
