import { type AuthenticationResult, isAuthError, type Revocation } from '@jwt-auth/core'
import type { HeardAnswer } from './possible-sessions.js'

/** What a call of the service came to. */
export type Outcome<T> = { readonly value: T } | { readonly code: string; readonly message: string }

/** Waits for a call of the service. */
export const outcomeOf = async <T>(call: Promise<T>): Promise<Outcome<T>> => {
  try {
    return { value: await call }
  } catch (error) {
    return isAuthError(error) ? error : { code: 'no AuthError', message: String(error) }
  }
}

const failures = new Set(['jwt_auth_unavailable', 'jwt_auth_revoke_failed'])

/** Whether the service said that it could not do what it was asked. */
export const isFailure = (outcome: Outcome<unknown>): boolean => 'code' in outcome && failures.has(outcome.code)

/** A refusal in the model's words; `undefined` for a code that has no place here. */
export const toRefusal = ({
  code,
  message,
}: {
  readonly code: string
  readonly message: string
}): HeardAnswer | undefined => {
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

/** A grant in the model's words. */
export const toGranted = ({ accessToken, refreshToken }: AuthenticationResult) => {
  const claims: unknown = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString())
  const exp = typeof claims === 'object' && claims !== null && 'exp' in claims ? Number(claims.exp) : Number.NaN
  return { kind: 'granted', refreshToken, exp } as const
}

/** A revocation in the model's words. */
export const toRevoked = ({ revokedAt }: Revocation): HeardAnswer => ({ kind: 'revoked', at: revokedAt.getTime() })
