import type { Caller, Operation } from '../operation.js'
import type { Violation } from '../violation.js'

/**
 * Finds responses that name a user other than the one who logged in, or a session other than that of the first response. Also finds
 * guarded requests that were authenticated without naming a caller. Validate names no caller.
 */
export const findForeignResponses = (operations: readonly Operation[]): readonly Violation[] => {
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
      rule: 'each response is about the session of its requester',
      text: 'this response names another user or session',
      operations: operation === first.operation ? [operation] : [first.operation, operation],
    }))
}

const nobody: Caller = { userId: undefined, sessionId: undefined }

const readCaller = ({ kind, outcome }: Operation): Caller | undefined => {
  if (outcome.kind === 'granted') return outcome
  return kind === 'authorize' && outcome.kind === 'authenticated' ? (outcome.caller ?? nobody) : undefined
}
