import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'

const rule = 'an acknowledged end is an end'

/**
 * Requests let in although they began after somebody had heard that the session is over; and ends that two revocations were
 * each told to be theirs.
 */
export const findLetInAfterEnd = (operations: readonly Operation[]): readonly Violation[] => {
  const acknowledged = operations.filter(acknowledgesEnd).sort((a, b) => a.end - b.end)
  const [first] = acknowledged
  if (first === undefined) return []
  const late = operations.filter((operation) => operation.begin > first.end && isLetIn(operation))
  const revoked = acknowledged.filter(({ outcome }) => outcome.kind === 'revoked')
  return [
    ...late.map((operation) => ({
      rule,
      text: 'this request began later and was let in',
      operations: [first, operation],
    })),
    ...(revoked.length > 1 ? [{ rule, text: 'the session was ended more than once', operations: revoked }] : []),
  ]
}

/** Whether the answer says that the session is over: every token presented was genuine and had not expired. */
export const acknowledgesEnd = ({ outcome }: Operation): boolean =>
  outcome.kind === 'revoked' || outcome.kind === 'already-revoked' || outcome.kind === 'refused'

const isLetIn = ({ kind, outcome }: Operation): boolean =>
  outcome.kind === 'let-in' || (kind === 'refresh' && outcome.kind === 'granted')
