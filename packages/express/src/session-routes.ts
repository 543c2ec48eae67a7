import { AuthError, type SessionSummary } from '@jwt-auth/core'
import type { ServiceBinding } from '@jwt-auth/core/adapter'
import { type RouteMatch, toJsonResponse, toPath, type WireRequest, type WireResponse } from '@jwt-auth/core/wire'

/** The route for all sessions of the caller, or for one of them. */
export interface SessionRoute {
  readonly kind: 'route'
  readonly name: 'sessions'
  /** `undefined` for all sessions. */
  readonly sessionId: string | undefined
}

/** Finds the session route of a request. Returns `undefined` for every other path. */
export const matchSessionRoute = (
  namespace: string,
  method: string,
  target: string,
): SessionRoute | RouteMatch | undefined => {
  const path = toPath(target)
  const match = path.startsWith(namespace) && /^\/sessions(?:\/([^/]+))?\/?$/.exec(path.slice(namespace.length))
  // The CORS middleware of the application responds to OPTIONS.
  if (!match || method === 'OPTIONS') return undefined
  const [, sessionId] = match
  const allowedMethods = sessionId === undefined ? ['GET', 'HEAD'] : ['DELETE']
  return allowedMethods.includes(method)
    ? { kind: 'route', name: 'sessions', sessionId }
    : { kind: 'method-not-allowed', allowedMethods }
}

/**
 * Lists the active sessions of the caller, or ends one session of the caller.
 *
 * @throws an {@link AuthError} `jwt_auth_token_not_found`, the same for an unknown session and for
 *   a session of another user; the errors of the validate route
 */
export const handleSessionRoute = async (
  { admit, service: { sessions } }: ServiceBinding,
  request: WireRequest,
  { sessionId }: SessionRoute,
): Promise<WireResponse> => {
  const { auth } = await admit(request, {}, 'validate')
  const { userId } = auth
  if (sessionId === undefined) {
    const listed = await sessions.list(userId)
    return toJsonResponse(200, { sessions: listed.map((session) => toBody(session, auth.sessionId)) })
  }
  const outcome = await sessions.revoke({ userId, sessionId })
  if (outcome === 'not-found') throw new AuthError('jwt_auth_token_not_found', { message: 'Session not found' })
  return { status: 204, headers: { 'Cache-Control': 'no-store' }, body: '' }
}

const toBody = (session: SessionSummary, currentId: string): object => ({
  id: session.id,
  current: session.id === currentId,
  created_at: session.createdAt,
  last_used_at: session.lastUsedAt,
  expires_at: session.expiresAt,
  user_agent: session.userAgent,
  ip_address: session.ipAddress,
  last_user_agent: session.lastUserAgent,
  last_ip_address: session.lastIpAddress,
  label: session.label,
  bound: session.isBound,
})
