import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'

/** Finds answers outside the contract, such as 500 to a refresh or 401 to a revocation with a valid token. */
export const findUnexpectedAnswers = (operations: readonly Operation[]): readonly Violation[] =>
  operations
    .filter(({ outcome }) => outcome.kind === 'unexpected')
    .map((operation) => ({
      rule: 'every answer is in the contract',
      text: 'this answer is not',
      operations: [operation],
    }))
