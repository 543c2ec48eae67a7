import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'
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
export const acknowledgesEnd = ({ outcome }: Operation): boolean =>
  outcome.kind === 'revoked' || outcome.kind === 'already-revoked' || outcome.kind === 'refused'

/** Returns whether the response shows that the session was active. */
export const isActive = ({ kind, outcome }: Operation): boolean =>
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
