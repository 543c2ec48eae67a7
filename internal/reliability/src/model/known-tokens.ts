import type { AuthenticationResult } from '@jwt-auth/core'
import { type Outcome, toGranted, toRefusal } from './outcomes.js'
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
export interface KnownTokens {
  readonly refreshTokens: readonly KnownRefreshToken[]
  readonly accessTokens: readonly KnownAccessToken[]
  /** Judges the result of a login or a refresh of a session, and keeps its tokens. Returns what is wrong with it. */
  readonly judgeGrant: (
    session: WatchedSession,
    operation: number,
    outcome: Outcome<AuthenticationResult>,
  ) => string | undefined
}

/** Creates an empty collection of tokens. */
export const createKnownTokens = ({ note }: World): KnownTokens => {
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
    judgeGrant: (session, operation, outcome) => {
      if ('code' in outcome) return judgeResult(session, operation, toRefusal(outcome))
      const { sessionId, user } = outcome.value
      if (sessionId !== session.id || user.id !== session.userId) return 'the result is about another session'
      keep(session, outcome.value)
      return judgeResult(session, operation, toGranted(outcome.value))
    },
  }
}

/** Judges a result that is about one session. Returns what is wrong with it. `result` is `undefined` for an unexpected error. */
export const judgeResult = (
  session: WatchedSession,
  operation: number,
  result: ObservedResult | undefined,
): string | undefined => {
  if (result === undefined) return 'the result is an error that must not occur here'
  if (session.possible.settle(operation, result)) return undefined
  return `nothing that may have happened to ${session.name} explains the result “${result.kind}”`
}
