import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'
import { opensSession } from './given-token.js'

/**
 * Refreshes that were granted although they began after the user's password was changed, in sessions opened before. A login types the
 * password that is right when it begins. A session opened without a password may have read the user as late as its end.
 */
export const findOutlivedPasswords = (operations: readonly Operation[]): readonly Violation[] => {
  const opening = operations.find(opensSession)
  if (opening === undefined) return []
  const openedBefore = opening.kind === 'login' ? opening.begin : opening.end
  return operations
    .filter(({ kind, begin }) => kind === 'change-password' && openedBefore < begin)
    .flatMap((change) =>
      operations
        .filter(({ kind, begin, outcome }) => kind === 'refresh' && begin > change.end && outcome.kind === 'granted')
        .map((refresh) => ({
          rule: 'a changed password ends sessions at their next refresh',
          text: 'this refresh began later and was granted',
          operations: [change, refresh],
        })),
    )
}
