import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'
import { opensSession } from './given-token.js'

const rule = 'an acknowledged end is an end'

/**
 * Requests let in, and revocations told that they ended the session, although they began after somebody had heard that it is
 * over; and ends that two revocations were each told to be theirs.
 */
export const findLetInAfterEnd = (operations: readonly Operation[]): readonly Violation[] => {
  const opening = operations.find(opensSession)
  const endsAll = ({ kind, outcome, begin }: Operation): boolean =>
    kind === 'revoke-all' && outcome.kind === 'done' && opening !== undefined && opening.end < begin
  const acknowledged = operations
    .filter((operation) => acknowledgesEnd(operation) || endsAll(operation))
    .sort((a, b) => a.end - b.end)
  const [first] = acknowledged
  if (first === undefined) return []
  const isLate = ({ begin }: Operation): boolean => begin > first.end
  const late = operations.filter((operation) => isLate(operation) && isLive(operation))
  const revoked = acknowledged.filter((operation) => operation.outcome.kind === 'revoked' && !isLate(operation))
  return [
    ...late.map((operation) => ({
      rule,
      text: `this request began later and was ${operation.kind === 'revoke' ? 'told that it ended the session' : 'let in'}`,
      operations: [first, operation],
    })),
    ...(revoked.length > 1 ? [{ rule, text: 'the session was ended more than once', operations: revoked }] : []),
  ]
}

/** Whether the answer says that the session is over: every token presented was genuine and had not expired. */
export const acknowledgesEnd = ({ outcome }: Operation): boolean =>
  outcome.kind === 'revoked' || outcome.kind === 'already-revoked' || outcome.kind === 'refused'

/** Whether the answer says that the session was live. */
export const isLive = ({ kind, outcome }: Operation): boolean =>
  outcome.kind === 'let-in' || outcome.kind === 'revoked' || (kind === 'refresh' && outcome.kind === 'granted')
