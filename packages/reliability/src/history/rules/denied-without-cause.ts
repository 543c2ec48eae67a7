import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'
import { type HistorySettings, mostRecentTokens } from './history-settings.js'
import { acknowledgesEnd } from './let-in-after-end.js'

/**
 * Requests turned away although nothing in the history can have ended the session: no revocation and no use of a token that
 * may have been replaced for longer than the grace window. A rotation that was acknowledged and then lost shows up here.
 */
export const findDeniedWithoutCause = (
  operations: readonly Operation[],
  { graceMs, clockDifferenceMs = 0 }: HistorySettings,
): readonly Violation[] => {
  const causes = [
    ...operations.filter(({ kind, outcome }) => kind === 'revoke' && mayHaveEnded.has(outcome.kind)),
    ...operations.filter((operation) => mayBeReplay(operation, operations, graceMs - clockDifferenceMs)),
  ]
  const earliest = Math.min(...causes.map(({ begin }) => begin))
  return operations
    .filter(
      (operation) => acknowledgesEnd(operation) && operation.outcome.kind !== 'revoked' && earliest > operation.end,
    )
    .map((operation) => ({
      rule: 'nobody is turned away without a cause',
      text: 'no operation before this one can have ended the session',
      operations: [operation],
    }))
}

const mayHaveEnded: ReadonlySet<string> = new Set(['revoked', 'failed', 'lost'])

/** Whether a refresh may have presented a token that was replaced too long ago, or by too many. */
const mayBeReplay = (refresh: Operation, operations: readonly Operation[], leastAgeMs: number): boolean => {
  if (refresh.kind !== 'refresh') return false
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
