import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'

/** Answers outside the contract, such as 500 to a refresh or 401 to a revoke with a genuine token. */
export const findUnexpectedAnswers = (operations: readonly Operation[]): readonly Violation[] =>
  operations
    .filter(({ outcome }) => outcome.kind === 'unexpected')
    .map((operation) => ({
      rule: 'answers are those of the contract',
      text: 'this one is not',
      operations: [operation],
    }))
