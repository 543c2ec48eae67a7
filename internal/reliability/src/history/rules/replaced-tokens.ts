import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'
import { collectTokens, type GivenToken, isSurelyBefore } from './given-token.js'
import { type HistorySettings, mostRecentTokens } from './history-settings.js'

/**
 * Refreshes that were granted although their token had been replaced for longer than the grace window, by more tokens than the
 * session remembers, or at all where there is no such window.
 */
export const findRevivedTokens = (
  operations: readonly Operation[],
  settings: HistorySettings,
): readonly Violation[] => {
  const tokens = collectTokens(operations)
  return tokens.flatMap((token) => [
    ...(settings.graceMs === 0 ? findSecondGrants(token) : findLateGrants(token, tokens, settings)),
    ...findForgottenGrants(token, tokens),
  ])
}

const rule = 'a replaced token is good for its grace window only'

const findSecondGrants = ({ presenters }: GivenToken): readonly Violation[] => {
  const granted = presenters.filter(isGranted)
  return granted.length < 2
    ? []
    : [{ rule, text: 'there is none, and one token was granted twice', operations: granted }]
}

// The service's clock counts whole milliseconds: one of them may hide at either end.
const roundingMs = 1

const findLateGrants = (
  token: GivenToken,
  tokens: readonly GivenToken[],
  { graceMs, clockDifferenceMs = 0 }: HistorySettings,
): readonly Violation[] => {
  const witness = firstToEnd(followersOf(token, tokens).flatMap(({ givers }) => givers))
  if (witness === undefined) return []
  const latest = witness.end + graceMs + clockDifferenceMs + roundingMs
  return token.presenters
    .filter((operation) => isGranted(operation) && operation.begin > latest)
    .map((operation) => ({ rule, text: 'this one began after it', operations: [witness, operation] }))
}

const findForgottenGrants = (token: GivenToken, tokens: readonly GivenToken[]): readonly Violation[] => {
  const followers = followersOf(token, tokens)
  return token.presenters.filter(isGranted).flatMap((operation) => {
    const before = followers.filter(({ currentBy }) => currentBy < operation.begin)
    if (before.length <= mostRecentTokens) return []
    const text = `this one's token had been replaced by ${before.length} others, and ${mostRecentTokens} are remembered`
    return [{ rule, text, operations: [operation] }]
  })
}

/** The tokens that were surely current after this one, and never before. */
const followersOf = (token: GivenToken, tokens: readonly GivenToken[]): readonly GivenToken[] =>
  tokens.filter((other) => other !== token && isSurelyBefore(token, other))

const firstToEnd = (operations: readonly Operation[]): Operation | undefined =>
  operations.toSorted((a, b) => a.end - b.end)[0]

const isGranted = ({ outcome }: Operation): boolean => outcome.kind === 'granted'
