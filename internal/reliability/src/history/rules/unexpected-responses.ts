import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'

/** Finds responses outside the contract, such as 500 to a refresh or 401 to a revocation with a valid token. */
export const findUnexpectedResponses = (operations: readonly Operation[]): readonly Violation[] =>
  operations
    .filter(({ outcome }) => outcome.kind === 'unexpected')
    .map((operation) => ({
      rule: 'every response is in the contract',
      text: 'this response is not',
      operations: [operation],
    }))
