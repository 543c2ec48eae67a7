import type { History, Operation, Outcome } from '../../../src/history/operation.js'
import { acknowledgesEnd } from '../../../src/history/rules/ends.js'
import { simulatedGraceMs } from './simulated-history.js'

/**
 * Changes a history so that it breaks a promise. Returns `undefined` when it cannot. `pick` chooses
 * one of several places.
 */
type PlantViolation = (history: History, pick: number) => History | undefined

/** Ways to break a history of one session of a correct service. */
export const plantedViolations: Readonly<Record<string, PlantViolation>> = {
  'an authenticated request after an acknowledged end': (history, pick) =>
    change(history, pick, {
      where: (operation) =>
        operation.kind === 'authorize' &&
        operation.outcome.kind === 'refused' &&
        history.some((other) => acknowledgesEnd(other) && other.end < operation.start),
      to: (operation) => ({ ...operation, kind: 'validate', outcome: { kind: 'authenticated', caller: undefined } }),
    }),

  'a second revocation that reports that it ended the session': (history, pick) =>
    change(history, pick, {
      where: (operation) =>
        operation.outcome.kind === 'already-revoked' &&
        history.some((other) => acknowledgesEnd(other) && other.end < operation.start),
      to: (operation) => ({ ...operation, outcome: { kind: 'revoked' } }),
    }),

  'an acknowledged revocation that never took place': (history, pick) =>
    change(history, pick, {
      where: (operation) => isFinallyActive(history) && !operation.isFinal && isAuthenticated(operation),
      to: (operation) => ({ ...operation, kind: 'revoke', outcome: { kind: 'revoked' } }),
    }),

  'a refusal without a cause': (history, pick) =>
    change(history, pick, {
      where: (operation) => isBriefAndActive(history) && !operation.isFinal && isAuthenticated(operation),
      to: (operation) => ({ ...operation, outcome: { kind: 'refused' } }),
    }),

  'a response about another user': (history, pick) =>
    changeGrant(history, pick, { where: () => true, to: { userId: 99 } }),

  'an old refresh token that is returned once more': (history, pick) => {
    const { presented } = history.find(({ isFinal, kind }) => isFinal && kind === 'refresh') ?? {}
    // A token newer than the presented one may be right: a lost request may never have replaced the
    // presented one.
    const older = refreshTokensOf(history).filter((token) => placeOf(token) <= placeOf(presented ?? ''))
    const refreshToken = older[pick % older.length]
    if (refreshToken === undefined) return undefined
    return changeGrant(history, 0, { where: ({ isFinal }) => isFinal, to: { refreshToken } })
  },

  'a second branch': (history, pick) => {
    // A lost response may have held the branch. A token that is never used again is only another
    // name.
    const hasAllResponses = history.every(({ outcome }) => outcome.kind !== 'lost') && isFinallyActive(history)
    return changeGrant(history, pick, {
      where: ({ kind, isFinal }) => hasAllResponses && kind === 'refresh' && !isFinal,
      to: { refreshToken: 'r of another branch' },
    })
  },

  'an access token that is returned twice': (history, pick) =>
    changeGrant(history, pick, { where: ({ kind }) => kind === 'refresh', to: { accessToken: 'a1 of s1' } }),

  'no final reads': (history) => history.filter(({ isFinal }) => !isFinal),
}

interface Change<To> {
  readonly where: (operation: Operation) => boolean
  readonly to: To
}

const change = (
  history: History,
  pick: number,
  { where, to }: Change<(operation: Operation) => Operation>,
): History | undefined => {
  const places = history.filter(where)
  const place = places[pick % places.length]
  return place && history.map((operation) => (operation === place ? to(operation) : operation))
}

type Granted = Extract<Outcome, { kind: 'granted' }>

const changeGrant = (history: History, pick: number, { where, to }: Change<Partial<Granted>>): History | undefined =>
  change(history, pick, {
    where: (operation) => operation.outcome.kind === 'granted' && where(operation),
    to: (operation) =>
      operation.outcome.kind === 'granted' ? { ...operation, outcome: { ...operation.outcome, ...to } } : operation,
  })

const isAuthenticated = ({ outcome }: Operation): boolean => outcome.kind === 'authenticated'

const isFinallyActive = (history: History): boolean =>
  history.some((operation) => operation.isFinal && isAuthenticated(operation))

const refreshTokensOf = (history: History): readonly string[] => [
  ...new Set(history.flatMap(({ outcome }) => (outcome.kind === 'granted' ? outcome.refreshToken : []))),
]

/**
 * Returns the place of a simulated token in its chain. The simulated service numbers its tokens.
 */
const placeOf = (token: string): number => Number.parseInt(token.slice(1), 10)

/**
 * Returns whether nothing in a history can have ended the session: no revocation, and no token old
 * enough to be a replay.
 */
const isBriefAndActive = (history: History): boolean =>
  history.every(
    ({ kind, isFinal, end, outcome }) =>
      kind !== 'revoke' && outcome.kind !== 'refused' && (isFinal || end < simulatedGraceMs),
  ) && refreshTokensOf(history).length <= 8
