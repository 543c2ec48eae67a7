import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'
import { collectTokens, type GivenToken, isSurelyBefore, mayLeadTo } from './given-token.js'

const rule = 'refresh tokens form one chain'

/**
 * Finds refresh tokens of a session that do not form one chain: two were current at the same time, one led back, or two followed
 * the same token. A client cannot present a token that it did not receive. Therefore only the newest token of a chain may be
 * missing here, and between two neighbours there is always a request that presented the older one.
 */
export const findForks = (operations: readonly Operation[]): readonly Violation[] => {
  const tokens = collectTokens(operations)
  const contradictions = findContradictions(tokens)
  if (contradictions.length > 0) return contradictions
  const chain = findLongestChain(tokens)
  return chain.length === tokens.length ? [] : [describeFork(tokens, chain)]
}

/** Finds pairs of tokens of which each would have to come before the other. */
const findContradictions = (tokens: readonly GivenToken[]): readonly Violation[] =>
  tokens.flatMap((token, position) =>
    tokens
      .slice(position)
      .filter((other) => isSurelyBefore(token, other) && isSurelyBefore(other, token))
      .map((other) => ({
        rule,
        text:
          token === other
            ? `${token.label} led to itself`
            : `${token.label} and ${other.label} were current at the same time, or each led to the other`,
        operations: inOrder([...token.givers, ...other.givers]),
      })),
  )

/** Returns the longest path from the first token to newer tokens. It includes all tokens when they form a chain. */
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
