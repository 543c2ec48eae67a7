import { everySession, type History, type Operation } from '../operation.js'
import type { Violation } from '../violation.js'
import { opensSession } from './given-token.js'
import { type HistorySettings, mostRecentTokens } from './history-settings.js'
import { acknowledgesEnd, isLive } from './let-in-after-end.js'

/**
 * Requests that were turned away although nothing in the history can have ended the session: no revocation, no changed password, no
 * further logins of a user who has too many sessions, and no use of a token that may have been replaced for longer than the grace
 * window. A cause whose request failed or was lost holds only until a later request finds the session active. A rotation that was
 * acknowledged and then lost shows up here.
 */
export const findDeniedWithoutCause = (history: History, settings: HistorySettings): readonly Violation[] =>
  history
    .filter((operation) => acknowledgesEnd(operation) && operation.outcome.kind !== 'revoked')
    .filter((denied) => {
      const ofSession = history.filter(({ session, userId }) =>
        session === everySession ? userId === denied.userId : session === denied.session,
      )
      const causes = opensSession(denied) ? findChanges(ofSession) : findCauses(ofSession, settings)
      const holds = causes.some((cause) => cause.begin <= denied.end && !isRefuted(cause, denied, ofSession, settings))
      return !holds && (opensSession(denied) || !mayBeSurplus(denied, history, settings))
    })
    .map((operation) => ({
      rule: 'nobody is turned away without a cause',
      text: 'no operation before this one can have ended the session',
      operations: [operation],
    }))

/** What can refuse a login: a password that was changed meanwhile. */
const findChanges = (operations: readonly Operation[]): readonly Operation[] => {
  const opening = operations.find(opensSession)
  return operations.filter(
    ({ kind, end }) => kind === 'change-password' && opening !== undefined && end >= opening.begin,
  )
}

const findCauses = (
  operations: readonly Operation[],
  { graceMs, clockDifferenceMs = 0 }: HistorySettings,
): readonly Operation[] => {
  const openedFrom = operations.find(opensSession)?.begin ?? 0
  const changes = findChanges(operations)
  const isCause = (operation: Operation): boolean => {
    const { kind, outcome, end } = operation
    if (kind === 'revoke') return mayHaveEnded.has(outcome.kind)
    if (kind === 'revoke-all') return mayHaveEnded.has(outcome.kind) && end >= openedFrom
    if (kind !== 'refresh' || !mayHaveRefused.has(outcome.kind)) return false
    return changes.some(({ begin }) => begin <= end) || mayBeReplay(operation, operations, graceMs - clockDifferenceMs)
  }
  return operations.filter(isCause)
}

const mayHaveEnded: ReadonlySet<string> = new Set(['revoked', 'done', 'failed', 'lost'])
const mayHaveRefused: ReadonlySet<string> = new Set(['refused', 'failed', 'lost'])

/** Whether a cause that nobody acknowledged has not taken place: a request that began later found the session active. */
const isRefuted = (
  cause: Operation,
  denied: Operation,
  operations: readonly Operation[],
  { lateEffectMs = 0 }: HistorySettings,
): boolean =>
  (cause.outcome.kind === 'failed' || cause.outcome.kind === 'lost') &&
  operations.some((other) => isLive(other) && other.begin > cause.end + lateEffectMs && other.begin < denied.end)

/** Whether so many other sessions of the user may have been opened that a login ended this one. */
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
      other.begin <= denied.end,
  )
  return others.length >= maxSessionsPerUser
}

/** Whether a refresh may have presented a token that was replaced too long ago, or by too many. */
const mayBeReplay = (refresh: Operation, operations: readonly Operation[], leastAgeMs: number): boolean => {
  const earlier = operations.filter(
    (other) =>
      other !== refresh &&
      other.kind === 'refresh' &&
      other.presented === refresh.presented &&
      other.outcome.kind !== 'refused' &&
      other.begin < refresh.end,
  )
  const replacedFrom = Math.min(...earlier.map(({ begin }) => begin))
  return refresh.end - replacedFrom >= leastAgeMs || (earlier.length > 0 && countTokens(operations) > mostRecentTokens)
}

const countTokens = (operations: readonly Operation[]): number =>
  new Set(operations.flatMap(({ outcome }) => (outcome.kind === 'granted' ? outcome.refreshToken : []))).size
