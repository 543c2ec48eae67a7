import { isAuthError, type JwtAuth } from '@jwt-auth/express'
import type { Outcome } from '../../history/operation.js'

/** A call of `sessions` by the application. */
export type ApplicationOrder =
  | { readonly kind: 'create' | 'list' | 'revoke-all' | 'purge'; readonly userId: number }
  | { readonly kind: 'revoke'; readonly userId: number; readonly sessionId: string }

/** Carries out an order. */
export const carryOutOrder = (sessions: JwtAuth['sessions'], order: ApplicationOrder): Promise<Outcome> =>
  callSessions(sessions, order).catch((error: unknown) => toFailure(isAuthError(error) ? error.code : String(error)))

const callSessions = async (sessions: JwtAuth['sessions'], order: ApplicationOrder): Promise<Outcome> => {
  switch (order.kind) {
    case 'create': {
      const { user, sessionId, accessToken, refreshToken } = await sessions.create(order.userId)
      return { kind: 'granted', userId: user.id, sessionId, accessToken, refreshToken }
    }
    case 'revoke': {
      const outcome = await sessions.revoke(order.userId, order.sessionId)
      if (outcome === 'not-found') return { kind: 'unexpected', detail: outcome }
      return { kind: outcome === 'ended' ? 'revoked' : 'already-revoked' }
    }
    case 'revoke-all':
      await sessions.revokeAll(order.userId)
      return { kind: 'done' }
    case 'list':
      await sessions.list(order.userId)
      return { kind: 'done' }
    case 'purge':
      await sessions.purge()
      return { kind: 'done' }
  }
}

const toFailure = (code: string): Outcome => {
  if (code === 'jwt_auth_failed') return { kind: 'refused' }
  const isUnavailable = code === 'jwt_auth_unavailable' || code === 'jwt_auth_revoke_failed'
  return isUnavailable ? { kind: 'failed' } : { kind: 'unexpected', detail: code }
}
