import type { JwtAuth, SessionSummary } from '@jwt-auth/express'
import { Router } from 'express'
import { HostError } from '../failures.js'

/**
 * Creates `GET /`, `GET /:id` and `DELETE /:id`, which list the active sessions of the caller, say why a session ended, and end a
 * session. Mount them behind the guard.
 */
export const sessionRoutes = (auth: JwtAuth): Router => {
  const router = Router()

  router.get('/', async (req, res) => {
    const { userId, sessionId } = auth.getAuth(req)
    const sessions = await auth.sessions.list(userId)
    res.json({ sessions: sessions.map((session) => toBody(session, sessionId)) })
  })

  router.get('/:id', async (req, res) => {
    const { userId } = auth.getAuth(req)
    const sessions = await auth.sessions.list(userId, { includeEnded: true })
    const session = sessions.find(({ id }) => id === req.params.id)
    if (session === undefined) throw noSession()
    res.json(toEndBody(session))
  })

  router.delete('/:id', async (req, res) => {
    const { userId } = auth.getAuth(req)
    const outcome = await auth.sessions.revoke({ userId, sessionId: req.params.id })
    if (outcome === 'not-found') throw noSession()
    res.status(204).end()
  })

  return router
}

const noSession = (): HostError => new HostError(404, 'host_app_session_not_found', 'You have no such session.')

/** Describes the end of a session. `null` if the session is active. */
const toEndBody = ({ id, endedAt, endReason, expiresAt }: SessionSummary): object => ({
  id,
  ended_at: endedAt === null ? null : endedAt.toISOString(),
  end_reason: endReason,
  expires_at: expiresAt.toISOString(),
})

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
