import { type AuthenticationResult, isAuthError } from '@jwt-auth/core'
import { decodeToken } from '@jwt-auth/test-support/token-forger'
import type { ObservedResult } from './possible-sessions.js'
import type { WatchedSession, World } from './world.js'

/** A refresh token that a client received. */
export interface KnownRefreshToken {
  readonly name: string
  readonly text: string
  readonly session: WatchedSession
}

/** An access token that a client received. */
export interface KnownAccessToken extends KnownRefreshToken {
  readonly exp: number
}

/** All tokens that clients have received, oldest first. */
export type KnownTokens = ReturnType<typeof createKnownTokens>

/** Creates an empty collection of tokens. */
export const createKnownTokens = ({ note }: World) => {
  const refreshTokens: KnownRefreshToken[] = []
  const accessTokens: KnownAccessToken[] = []

  const keep = (session: WatchedSession, result: AuthenticationResult): void => {
    const known = refreshTokens.filter((token) => token.session === session)
    const { exp } = toGranted(result)
    const access = { name: `${session.name}.access${accessTokens.length}`, text: result.accessToken, session, exp }
    const refresh = known.find(({ text }) => text === result.refreshToken) ?? {
      name: `${session.name}.refresh${known.length}`,
      text: result.refreshToken,
      session,
    }
    if (!known.includes(refresh)) refreshTokens.push(refresh)
    accessTokens.push(access)
    note(`   (with ${refresh.name} and ${access.name})`)
  }

  return {
    refreshTokens,
    accessTokens,
    /**
     * Judges the result of a login or a refresh of a session, and keeps its tokens. Returns what is
     * wrong with it.
     */
    judgeGrant: (
      session: WatchedSession,
      operation: number,
      outcome: Outcome<AuthenticationResult>,
    ): string | undefined => {
      if ('code' in outcome) return judgeResult(session, operation, toRefusal(outcome))
      const { sessionId, user } = outcome.value
      if (sessionId !== session.id || user.id !== session.userId) return 'the result is about another session'
      keep(session, outcome.value)
      return judgeResult(session, operation, toGranted(outcome.value))
    },
  }
}

/**
 * Judges a result that is about one session. Returns what is wrong with it. `result` is `undefined`
 * for an unexpected error.
 */
export const judgeResult = (
  session: WatchedSession,
  operation: number,
  result: ObservedResult | undefined,
): string | undefined => {
  if (result === undefined) return 'the result is an error that must not occur here'
  if (session.possible.settle(operation, result)) return undefined
  return `nothing that may have happened to ${session.name} explains the result “${result.kind}”`
}

/** The outcome of a call of the service. */
export type Outcome<T> = { readonly value: T } | Failure

type Failure = Readonly<Record<'code' | 'message', string>>

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

/**
 * Translates a refusal into a result of the model. Returns `undefined` for a code that must not
 * occur here.
 */
export const toRefusal = ({ code, message }: Failure): ObservedResult | undefined => {
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
const toGranted = ({ accessToken, refreshToken }: AuthenticationResult) =>
  ({ kind: 'granted', refreshToken, exp: Number(decodeToken(accessToken).claims['exp']) }) as const

/** Translates a revocation into a result of the model. */
export const toRevoked = ({ revokedAt }: { readonly revokedAt: Date }): ObservedResult => ({
  kind: 'revoked',
  at: revokedAt.getTime(),
})
