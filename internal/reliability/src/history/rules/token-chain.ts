import type { Operation, Violation } from '../operation.js'

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
  /**
   * The latest start of an operation that returned it. The token was still current then or later.
   */
  readonly currentUntil: number
  /** The labels of the tokens that its presenters received. */
  readonly ledTo: ReadonlySet<string>
}

/**
 * Returns the refresh tokens that the operations of a session returned, in the order in which they
 * became known.
 */
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

/**
 * Returns whether a token must have been current before another: it led there, or the other token
 * was still current later.
 */
export const isSurelyBefore = (token: GivenToken, other: GivenToken): boolean =>
  token.ledTo.has(other.label) || (token !== other && other.currentUntil > token.currentBy)

/**
 * Returns whether a request may have replaced a token by the next one: the request presented the
 * token, started before the next one was known, and received the next one or no response.
 */
const mayLeadTo = (token: GivenToken, next: GivenToken): boolean =>
  token.presenters.some(
    (operation) =>
      operation.start < next.currentBy &&
      (givenBy(operation) === next.label || operation.outcome.kind === 'lost' || operation.outcome.kind === 'failed'),
  )

const rule = 'refresh tokens form one chain'

/**
 * Finds refresh tokens of a session that do not form one chain: two were current at the same time,
 * one led back, or two followed the same token. A client cannot present a token that it did not
 * receive. Therefore only the newest token of a chain may be missing here, and between two
 * neighbours there is always a request that presented the older one.
 */
export const findForks = (operations: readonly Operation[]): readonly Violation[] => {
  const tokens = collectTokens(operations)
  const contradictions = findContradictions(tokens)
  if (contradictions.length > 0) return contradictions
  const chain = findLongestChain(tokens)
  return chain.length === tokens.length ? [] : [describeFork(tokens, chain)]
}

/** After so many replacements in a grace window, a token leads to itself (docs/design/refresh-tokens.md). */
const mostReplaced = 32

/** Finds pairs of tokens of which each would have to come before the other. */
const findContradictions = (tokens: readonly GivenToken[]): readonly Violation[] =>
  tokens.flatMap((token, position) =>
    tokens
      .slice(position)
      .filter((other) => isSurelyBefore(token, other) && isSurelyBefore(other, token))
      .filter((other) => token !== other || position < mostReplaced)
      .map((other) => ({
        rule,
        text:
          token === other
            ? `${token.label} led to itself`
            : `${token.label} and ${other.label} were current at the same time, or each led to the other`,
        operations: inOrder([...token.givers, ...other.givers]),
      })),
  )

/**
 * Returns the longest path from the first token to newer tokens. It includes all tokens when they
 * form a chain.
 */
const findLongestChain = (tokens: readonly GivenToken[]): readonly GivenToken[] => {
  const extend = (chain: readonly GivenToken[], left: readonly GivenToken[]): readonly GivenToken[] => {
    let longest = chain
    for (const next of left) {
      const others = left.filter((token) => token !== next)
      if (others.some((other) => isSurelyBefore(other, next)) || !isReached(chain, next)) continue
      const extended = extend([...chain, next], others)
      if (extended.length === tokens.length) return extended
      if (extended.length > longest.length) longest = extended
    }
    return longest
  }
  return extend([], tokens)
}

const isReached = (chain: readonly GivenToken[], next: GivenToken): boolean => {
  const last = chain.at(-1)
  return last === undefined ? next.isFirst : mayLeadTo(last, next)
}

const describeFork = (tokens: readonly GivenToken[], chain: readonly GivenToken[]): Violation => {
  const left = tokens.filter((token) => !chain.includes(token))
  const labels = (some: readonly GivenToken[]): string => some.map(({ label }) => label).join(', ')
  return {
    rule,
    text: `no request leads from ${labels(chain)} to ${labels(left)}`,
    operations: inOrder([...chain.slice(-2), ...left].flatMap(({ givers, presenters }) => [...givers, ...presenters])),
  }
}

const inOrder = (operations: readonly Operation[]): readonly Operation[] =>
  [...new Set(operations)].sort((a, b) => a.number - b.number)
