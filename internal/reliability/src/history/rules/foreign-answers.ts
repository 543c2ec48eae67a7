import type { Caller, Operation } from '../operation.js'
import type { Violation } from '../violation.js'

/**
 * Answers to one session that name another user than the one who logged in, or another session than its first answer, or whom
 * the guard let in without a name. Validate names nobody.
 */
export const findForeignAnswers = (operations: readonly Operation[]): readonly Violation[] => {
  const named = operations.flatMap((operation) => {
    const caller = readCaller(operation)
    return caller === undefined ? [] : [{ operation, caller }]
  })
  const [first] = named
  if (first === undefined) return []
  return named
    .filter(
      ({ operation, caller }) => caller.userId !== operation.userId || caller.sessionId !== first.caller.sessionId,
    )
    .map(({ operation }) => ({
      rule: 'each answer reaches its own requester',
      text: 'this one names another user or session than the requester is',
      operations: operation === first.operation ? [operation] : [first.operation, operation],
    }))
}

const nobody: Caller = { userId: undefined, sessionId: undefined }

const readCaller = ({ kind, outcome }: Operation): Caller | undefined => {
  if (outcome.kind === 'granted') return outcome
  return kind === 'authorize' && outcome.kind === 'let-in' ? (outcome.caller ?? nobody) : undefined
}
