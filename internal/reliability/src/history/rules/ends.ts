import { everySession, type History, type HistorySettings, type Operation, type Violation } from '../operation.js'
import { opensSession } from './token-chain.js'

const rule = 'no session is used after its acknowledged end'

/**
 * Finds requests that were authenticated, and revocations that report having ended the session,
 * although they started after a response had acknowledged its end. Also finds two revocations that
 * both report having ended it.
 */
export const findUseAfterEnd = (operations: readonly Operation[]): readonly Violation[] => {
  const opening = operations.find(opensSession)
  const endsAll = ({ kind, outcome, start }: Operation): boolean =>
    kind === 'revoke-all' && outcome.kind === 'done' && opening !== undefined && opening.end < start
  const acknowledged = operations
    .filter((operation) => acknowledgesEnd(operation) || endsAll(operation))
    .sort((a, b) => a.end - b.end)
  const [first] = acknowledged
  if (first === undefined) return []
  const isLate = ({ start }: Operation): boolean => start > first.end
  const late = operations.filter((operation) => isLate(operation) && isActive(operation))
  const revoked = acknowledged.filter((operation) => operation.outcome.kind === 'revoked' && !isLate(operation))
  return [
    ...late.map((operation) => ({
      rule,
      text: `this request started later and ${operation.kind === 'revoke' ? 'ended the session again' : 'was authenticated'}`,
      operations: [first, operation],
    })),
    ...(revoked.length > 1 ? [{ rule, text: 'the session was ended more than once', operations: revoked }] : []),
  ]
}

/**
 * Returns whether the response acknowledges that the session has ended. A refusal does so too,
 * because clients send only tokens that were issued and have not expired.
 */
const acknowledgesEnd = ({ outcome }: Operation): boolean =>
  outcome.kind === 'revoked' || outcome.kind === 'already-revoked' || outcome.kind === 'refused'

/** Returns whether the response shows that the session was active. */
const isActive = ({ kind, outcome }: Operation): boolean =>
  outcome.kind === 'authenticated' || outcome.kind === 'revoked' || (kind === 'refresh' && outcome.kind === 'granted')

/**
 * Finds refreshes that were granted although they started after the user's password was changed, in
 * sessions that were opened before. A login types the password that is right at its start. When the
 * application opens a session without a password, the service may read the user as late as the end
 * of that operation.
 */
export const findOutlivedPasswords = (operations: readonly Operation[]): readonly Violation[] => {
  const opening = operations.find(opensSession)
  if (opening === undefined) return []
  const openedBefore = opening.kind === 'login' ? opening.start : opening.end
  return operations
    .filter(({ kind, start }) => kind === 'change-password' && openedBefore < start)
    .flatMap((change) =>
      operations
        .filter(({ kind, start, outcome }) => kind === 'refresh' && start > change.end && outcome.kind === 'granted')
        .map((refresh) => ({
          rule: 'a changed password ends sessions at their next refresh',
          text: 'this refresh started later and was granted',
          operations: [change, refresh],
        })),
    )
}

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
