import { everySession, type History, type Operation } from '../operation.js'
import type { HistorySettings, Violation } from '../violation.js'
import { acknowledgesEnd, isActive } from './ends.js'
import { opensSession } from './token-chain.js'

/**
 * Finds requests that were refused although nothing in the history can have ended the session: no
 * revocation, no changed password, no further login of a user with too many sessions, and no use of
 * a token that may have been replaced for longer than the grace window. A cause whose request
 * failed or was lost holds only until a later request finds the session active. This rule also
 * finds a rotation that was acknowledged and then lost.
 */
export const findDeniedWithoutCause = (history: History, settings: HistorySettings): readonly Violation[] =>
  history
    .filter((operation) => acknowledgesEnd(operation) && operation.outcome.kind !== 'revoked')
    .filter((denied) => {
      const ofSession = history.filter(({ session, userId }) =>
        session === everySession ? userId === denied.userId : session === denied.session,
      )
      const causes = opensSession(denied) ? findChanges(ofSession) : findCauses(ofSession, settings)
      const holds = causes.some((cause) => cause.start <= denied.end && !isRefuted(cause, denied, ofSession, settings))
      return !holds && (opensSession(denied) || !mayBeSurplus(denied, history, settings))
    })
    .map((operation) => ({
      rule: 'every refusal has a cause',
      text: 'no operation before this one can have ended the session',
      operations: [operation],
    }))

/** Returns the causes for which a login may be refused: changes of the password in the meantime. */
const findChanges = (operations: readonly Operation[]): readonly Operation[] => {
  const opening = operations.find(opensSession)
  return operations.filter(
    ({ kind, end }) => kind === 'change-password' && opening !== undefined && end >= opening.start,
  )
}

const findCauses = (operations: readonly Operation[], { graceMs }: HistorySettings): readonly Operation[] => {
  const openedFrom = operations.find(opensSession)?.start ?? 0
  const changes = findChanges(operations)
  const isCause = (operation: Operation): boolean => {
    const { kind, outcome, end } = operation
    if (kind === 'revoke') return mayHaveEnded.has(outcome.kind)
    if (kind === 'revoke-all') return mayHaveEnded.has(outcome.kind) && end >= openedFrom
    if (kind !== 'refresh' || !mayHaveRefused.has(outcome.kind)) return false
    return changes.some(({ start }) => start <= end) || mayBeReplay(operation, operations, graceMs)
  }
  return operations.filter(isCause)
}

const mayHaveEnded: ReadonlySet<string> = new Set(['revoked', 'done', 'failed', 'lost'])
const mayHaveRefused: ReadonlySet<string> = new Set(['refused', 'failed', 'lost'])

/**
 * Returns whether an unacknowledged cause did not take place: a request that started later found
 * the session active.
 */
const isRefuted = (
  cause: Operation,
  denied: Operation,
  operations: readonly Operation[],
  { lateEffectMs = 0 }: HistorySettings,
): boolean =>
  (cause.outcome.kind === 'failed' || cause.outcome.kind === 'lost') &&
  operations.some((other) => isActive(other) && other.start > cause.end + lateEffectMs && other.start < denied.end)

/** Returns whether the user may have opened so many other sessions that a login ended this one. */
const mayBeSurplus = (
  denied: Operation,
  history: History,
  { maxSessionsPerUser = Number.POSITIVE_INFINITY }: HistorySettings,
): boolean => {
  const others = history.filter(
    (other) =>
      opensSession(other) &&
      other.userId === denied.userId &&
      other.session !== denied.session &&
      other.start <= denied.end,
  )
  return others.length >= maxSessionsPerUser
}

/**
 * Returns whether a refresh may have presented a token that was replaced too long ago, however many
 * tokens have replaced it.
 */
const mayBeReplay = (refresh: Operation, operations: readonly Operation[], leastAgeMs: number): boolean => {
  const earlier = operations.filter(
    (other) =>
      other !== refresh &&
      other.kind === 'refresh' &&
      other.presented === refresh.presented &&
      other.outcome.kind !== 'refused' &&
      other.start < refresh.end,
  )
  const replacedFrom = Math.min(...earlier.map(({ start }) => start))
  return refresh.end - replacedFrom >= leastAgeMs
}
