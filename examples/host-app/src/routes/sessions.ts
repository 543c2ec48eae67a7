import type { JwtAuth } from '@jwt-auth/express'
import { Router } from 'express'
import { HostError } from '../failures.js'

/** Creates `GET /:id`, which says when and why a session of the caller ended. Mount it behind the guard. */
export const sessionRoutes = (auth: JwtAuth): Router => {
  const router = Router()

  router.get('/:id', async (req, res) => {
    const { userId } = auth.getAuth(req)
    const sessions = await auth.sessions.list(userId, { includeEnded: true })
    const session = sessions.find(({ id }) => id === req.params.id)
    if (session === undefined) throw new HostError(404, 'host_app_session_not_found', 'You have no such session.')
    const { id, endedAt, endReason, expiresAt } = session
    res.json({ id, ended_at: endedAt, end_reason: endReason, expires_at: expiresAt })
  })

  return router
}
