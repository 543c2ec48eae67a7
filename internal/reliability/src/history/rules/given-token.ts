import type { Operation } from '../operation.js'

/** A refresh token that a client received. */
export interface GivenToken {
  readonly label: string
  /** Whether the login returned it. */
  readonly isFirst: boolean
  /** The operations that returned it. */
  readonly givers: readonly Operation[]
  /** The refreshes that presented it. */
  readonly presenters: readonly Operation[]
  /** The earliest end of an operation that returned it. The token had become current by then. */
  readonly currentBy: number
  /** The latest start of an operation that returned it. The token was still current then or later. */
  readonly currentUntil: number
  /** The labels of the tokens that its presenters received. */
  readonly ledTo: ReadonlySet<string>
}

/** Returns the refresh tokens that the operations of a session returned, in the order in which they became known. */
export const collectTokens = (operations: readonly Operation[]): readonly GivenToken[] => {
  const labels = new Set(operations.flatMap((operation) => givenBy(operation) ?? []))
  return [...labels]
    .map((label): GivenToken => {
      const givers = operations.filter((operation) => givenBy(operation) === label)
      const presenters = operations.filter(({ kind, presented }) => kind === 'refresh' && presented === label)
      return {
        label,
        isFirst: givers.some(opensSession),
        givers,
        presenters,
        currentBy: Math.min(...givers.map(({ end }) => end)),
        currentUntil: Math.max(...givers.map(({ start }) => start)),
        ledTo: new Set(presenters.flatMap((operation) => givenBy(operation) ?? [])),
      }
    })
    .sort((a, b) => a.currentBy - b.currentBy)
}

/** Returns whether an operation opens its session. */
export const opensSession = ({ kind }: Operation): boolean => kind === 'login' || kind === 'create'

const givenBy = ({ outcome }: Operation): string | undefined =>
  outcome.kind === 'granted' ? outcome.refreshToken : undefined

/** Returns whether a token must have been current before another: it led there, or the other token was still current later. */
export const isSurelyBefore = (token: GivenToken, other: GivenToken): boolean =>
  token.ledTo.has(other.label) || (token !== other && other.currentUntil > token.currentBy)

/**
 * Returns whether a request may have replaced a token by the next one: the request presented the token, started before the next
 * one was known, and received the next one or no response.
 */
export const mayLeadTo = (token: GivenToken, next: GivenToken): boolean =>
  token.presenters.some(
    (operation) =>
      operation.start < next.currentBy &&
      (givenBy(operation) === next.label || operation.outcome.kind === 'lost' || operation.outcome.kind === 'failed'),
  )
