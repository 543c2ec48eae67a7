import type { History, Operation } from '../operation.js'
import type { Violation } from '../violation.js'

/**
 * Finds refresh tokens and session ids that two sessions received, and access tokens that two responses held. Each access token
 * has its own id, even within one second.
 */
export const findSharedTokens = (history: History): readonly Violation[] => {
  const refreshTokens = new Map<string, Operation>()
  const sessionIds = new Map<string, Operation>()
  const accessTokens = new Map<string, Operation>()

  return history.flatMap((operation) => {
    const { outcome } = operation
    if (outcome.kind !== 'granted') return []
    return [
      ...findOtherSession(refreshTokens, outcome.refreshToken, operation),
      ...findOtherSession(sessionIds, outcome.sessionId, operation),
      ...findAny(accessTokens, outcome.accessToken, operation),
    ]
  })
}

const findOtherSession = (
  givers: Map<string, Operation>,
  given: string,
  operation: Operation,
): readonly Violation[] => {
  const first = givers.get(given) ?? operation
  givers.set(given, first)
  return first.session === operation.session ? [] : [toViolation(given, first, operation)]
}

const findAny = (givers: Map<string, Operation>, given: string, operation: Operation): readonly Violation[] => {
  const first = givers.get(given)
  givers.set(given, operation)
  return first === undefined ? [] : [toViolation(given, first, operation)]
}

const toViolation = (given: string, ...operations: readonly [Operation, Operation]): Violation => ({
  rule: 'no two sessions share a token',
  text: `${given} was returned twice`,
  operations,
})
