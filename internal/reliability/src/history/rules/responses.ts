import type { Caller, Operation, Violation } from '../operation.js'

/**
 * Finds responses that name a user other than the one who logged in, or a session other than that
 * of the first response. Also finds guarded requests that were authenticated without naming a
 * caller. Validate names no caller.
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

/**
 * Finds responses outside the contract, such as 500 to a refresh or 401 to a revocation with a
 * valid token.
 */
export const findUnexpectedResponses = (operations: readonly Operation[]): readonly Violation[] =>
  operations
    .filter(({ outcome }) => outcome.kind === 'unexpected')
    .map((operation) => ({
      rule: 'every response is in the contract',
      text: 'this response is not',
      operations: [operation],
    }))

const rule = 'final reads show what is stored'

/**
 * Finds sessions that lack a final read. Each session needs one with its access token and one with
 * its refresh token, with a response, and after all other operations. The other rules judge the
 * responses of the final reads.
 */
export const findMissingFinalReads = (operations: readonly Operation[]): readonly Violation[] => {
  if (operations.every(({ outcome }) => outcome.kind !== 'granted')) return []
  const others = operations.filter(({ isFinal }) => !isFinal)
  const lastEnd = Math.max(...others.map(({ end }) => end))
  const reads = operations.filter(
    ({ isFinal, start, outcome }) => isFinal && start > lastEnd && outcome.kind !== 'lost' && outcome.kind !== 'failed',
  )
  const missing = (['authorize', 'refresh'] as const).filter((kind) => reads.every((read) => read.kind !== kind))
  if (missing.length === 0) return []
  const text = `no final ${missing.join(' and no final ')} received a response after all other operations`
  const finals = operations.filter(({ isFinal }) => isFinal)
  return [{ rule, text, operations: finals.length > 0 ? finals : others.slice(-1) }]
}
