import { type AuthEvent, isAuthError } from '@jwt-auth/core'
import { endReasons, type TracedCall, type TracedOperation } from '@jwt-auth/core/internal'

/** Returns `ok`, the code of the error, or `error` for an error of another kind. */
export const toCode = ({ error }: TracedCall): string => {
  if (error === undefined) return 'ok'
  return isAuthError(error) ? error.code : 'error'
}

/** Returns `ok`, why the password was not accepted, or the code of the error. */
export const toLoginOutcome = (login: TracedOperation): string => {
  const isRefused = isAuthError(login.error) && login.error.code === 'jwt_auth_failed'
  const failure = login.events.find((event) => event.type === 'login_failed')
  return isRefused && failure !== undefined ? failure.reason : toCode(login)
}

/** Returns `rotated`, `repeated`, `replayed`, `refused`, or the code of another error. */
export const toRefreshOutcome = (refresh: TracedOperation): string => {
  const { error, events } = refresh
  const has = (type: AuthEvent['type']): boolean => events.some((event) => event.type === type)
  if (has('refresh_token_replayed')) return 'replayed'
  if (error === undefined) return has('session_refreshed') ? 'rotated' : 'repeated'
  return isAuthError(error) && error.code === 'jwt_auth_invalid_refresh_token' ? 'refused' : toCode(refresh)
}

/** Returns `started`, the bound that was exceeded, or `disconnected`. */
export const toWaitOutcome = ({ error }: TracedCall): string => {
  if (error === undefined) return 'started'
  return isAuthError(error) && error.refusal !== undefined ? error.refusal.reason : 'disconnected'
}

/** Returns how many sessions an event ended, and why: `other` for a reason of the application. */
export const toEndedSessions = (event: AuthEvent): { readonly count: number; readonly reason: string } | undefined => {
  switch (event.type) {
    case 'session_ended':
      return { count: 1, reason: toReason(event.reason) }
    case 'sessions_ended':
    case 'sessions_ended_before':
      return { count: event.count, reason: toReason(event.reason) }
    default:
      return undefined
  }
}

const toReason = (reason: string): string => (Object.hasOwn(endReasons, reason) ? reason : 'other')
