import type { History, HistorySettings, Operation, Violation } from '../operation.js'
import { collectTokens, type GivenToken, isSurelyBefore } from './token-chain.js'

/**
 * Finds refreshes that were granted although their token had been replaced for longer than the
 * grace window. Without a grace window, finds every second grant for one token.
 */
export const findRevivedTokens = (
  operations: readonly Operation[],
  settings: HistorySettings,
): readonly Violation[] => {
  const tokens = collectTokens(operations)
  return tokens.flatMap((token) =>
    settings.graceMs === 0 ? findSecondGrants(token) : findLateGrants(token, tokens, settings),
  )
}

const rule = 'a replaced token is valid for its grace window only'

const findSecondGrants = ({ presenters }: GivenToken): readonly Violation[] => {
  const granted = presenters.filter(isGranted)
  return granted.length < 2
    ? []
    : [{ rule, text: 'without a grace window, one token was granted twice', operations: granted }]
}

// The clock of the service counts whole milliseconds.
const roundingMs = 1

const findLateGrants = (
  token: GivenToken,
  tokens: readonly GivenToken[],
  { graceMs }: HistorySettings,
): readonly Violation[] => {
  const witness = firstToEnd(followersOf(token, tokens).flatMap(({ givers }) => givers))
  if (witness === undefined) return []
  const latest = witness.end + graceMs + roundingMs
  return token.presenters
    .filter((operation) => isGranted(operation) && operation.start > latest)
    .map((operation) => ({
      rule,
      text: 'this refresh started after its grace window',
      operations: [witness, operation],
    }))
}

/** Returns the tokens that were certainly current after this token. */
const followersOf = (token: GivenToken, tokens: readonly GivenToken[]): readonly GivenToken[] =>
  tokens.filter((other) => other !== token && isSurelyBefore(token, other))

const firstToEnd = (operations: readonly Operation[]): Operation | undefined =>
  operations.toSorted((a, b) => a.end - b.end)[0]

const isGranted = ({ outcome }: Operation): boolean => outcome.kind === 'granted'

/**
 * Finds refresh tokens and session ids that two sessions received, and access tokens that two
 * responses held. Each access token has its own id, even within one second.
 */
export const findSharedTokens = (history: History): readonly Violation[] => {
  const givers = new Map<string, Operation>()
  const find = (given: string, operation: Operation, mayRepeat: boolean): readonly Violation[] => {
    const first = givers.get(given)
    givers.set(given, first ?? operation)
    if (first === undefined || (mayRepeat && first.session === operation.session)) return []
    const text = `${given} was returned twice`
    return [{ rule: 'no two sessions share a token', text, operations: [first, operation] }]
  }

  return history.flatMap((operation) => {
    const { outcome } = operation
    if (outcome.kind !== 'granted') return []
    return [
      ...find(outcome.refreshToken, operation, true),
      ...find(outcome.sessionId, operation, true),
      ...find(outcome.accessToken, operation, false),
    ]
  })
}
