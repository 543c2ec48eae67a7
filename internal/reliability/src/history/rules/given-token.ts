import type { Operation } from '../operation.js'

/** A refresh token of a session that some client was given. */
export interface GivenToken {
  readonly label: string
  /** Whether the login gave it. */
  readonly isFirst: boolean
  readonly givers: readonly Operation[]
  readonly presenters: readonly Operation[]
  /** It had become current by then: the earliest end of an answer that gave it. */
  readonly currentBy: number
  /** It still was current then or later: the latest begin of an answer that gave it. */
  readonly currentUntil: number
  /** The labels of the tokens that its presenters were given. */
  readonly ledTo: ReadonlySet<string>
}

/** The tokens a session's operations gave, first known first. */
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
        currentUntil: Math.max(...givers.map(({ begin }) => begin)),
        ledTo: new Set(presenters.flatMap((operation) => givenBy(operation) ?? [])),
      }
    })
    .sort((a, b) => a.currentBy - b.currentBy)
}

/** Whether an operation opens the session that it is of. */
export const opensSession = ({ kind }: Operation): boolean => kind === 'login' || kind === 'create'

const givenBy = ({ outcome }: Operation): string | undefined =>
  outcome.kind === 'granted' ? outcome.refreshToken : undefined

/** Whether a token must have been current before another: it led there, or the other one was still current later. */
export const isSurelyBefore = (token: GivenToken, other: GivenToken): boolean =>
  token.ledTo.has(other.label) || (token !== other && other.currentUntil > token.currentBy)

/**
 * Whether a request may have replaced a token by another: it presented the one, began before the other was known, and was given
 * the other or never heard.
 */
export const mayLeadTo = (token: GivenToken, next: GivenToken): boolean =>
  token.presenters.some(
    (operation) =>
      operation.begin < next.currentBy &&
      (givenBy(operation) === next.label || operation.outcome.kind === 'lost' || operation.outcome.kind === 'failed'),
  )
