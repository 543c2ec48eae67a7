import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'
import { opensSession } from './given-token.js'

/**
 * Finds refreshes that were granted although they started after the user's password was changed, in sessions that were opened
 * before. A login types the password that is right at its start. When the application opens a session without a password, the
 * service may read the user as late as the end of that operation.
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
