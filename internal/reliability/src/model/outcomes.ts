import { type AuthenticationResult, isAuthError, type Revocation } from '@jwt-auth/core'
import type { ObservedResult } from './possible-sessions.js'

/** The outcome of a call of the service. */
export type Outcome<T> = { readonly value: T } | { readonly code: string; readonly message: string }

/** Waits for a call of the service. Never rejects. */
export const outcomeOf = async <T>(call: Promise<T>): Promise<Outcome<T>> => {
  try {
    return { value: await call }
  } catch (error) {
    return isAuthError(error) ? error : { code: 'no AuthError', message: String(error) }
  }
}

const failures = new Set(['jwt_auth_unavailable', 'jwt_auth_revoke_failed'])

/** Returns whether the service reported that it was unavailable. */
export const isFailure = (outcome: Outcome<unknown>): boolean => 'code' in outcome && failures.has(outcome.code)

/** Translates a refusal into a result of the model. Returns `undefined` for a code that must not occur here. */
export const toRefusal = ({
  code,
  message,
}: {
  readonly code: string
  readonly message: string
}): ObservedResult | undefined => {
  switch (code) {
    case 'jwt_auth_token_already_revoked':
      return { kind: 'already revoked' }
    case 'jwt_auth_invalid_token':
      return { kind: message === 'Expired token' ? 'expired' : 'refused' }
    case 'jwt_auth_failed':
    case 'jwt_auth_invalid_refresh_token':
      return { kind: 'refused' }
    default:
      return undefined
  }
}

/** Translates a pair of tokens into a result of the model. */
export const toGranted = ({ accessToken, refreshToken }: AuthenticationResult) => {
  const claims: unknown = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
  const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? Number(claims.exp) : Number.NaN
  return { kind: 'granted', refreshToken, exp } as const
}

/** Translates a revocation into a result of the model. */
export const toRevoked = ({ revokedAt }: Revocation): ObservedResult => ({ kind: 'revoked', at: revokedAt.getTime() })
