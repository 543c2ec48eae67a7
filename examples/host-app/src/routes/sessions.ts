import type { JwtAuth, SessionSummary } from '@jwt-auth/express'
import { Router } from 'express'
import { HostError } from '../failures.js'

/** Creates `GET /` and `DELETE /:id`, which list and end the active sessions of the caller. Mount them behind the guard. */
export const sessionRoutes = (auth: JwtAuth): Router => {
  const router = Router()

  router.get('/', async (req, res) => {
    const { userId, sessionId } = auth.getAuth(req)
    const sessions = await auth.sessions.list(userId)
    res.json({ sessions: sessions.map((session) => toBody(session, sessionId)) })
  })

  router.delete('/:id', async (req, res) => {
    const { userId } = auth.getAuth(req)
    const outcome = await auth.sessions.revoke({ userId, sessionId: req.params.id })
    if (outcome === 'not-found') throw new HostError(404, 'host_app_session_not_found', 'You have no such session.')
    res.status(204).end()
  })

  return router
}

const toBody = (session: SessionSummary, currentId: string): object => ({
  id: session.id,
  current: session.id === currentId,
  created_at: session.createdAt.toISOString(),
  last_used_at: session.lastUsedAt.toISOString(),
  expires_at: session.expiresAt.toISOString(),
  user_agent: session.userAgent,
  ip_address: session.ipAddress,
  label: session.label,
})
