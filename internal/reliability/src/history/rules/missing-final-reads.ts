import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'

const rule = 'final reads show what is stored'

/**
 * Finds sessions that lack a final read. Each session needs one with its access token and one with its refresh token, with a
 * response, and after all other operations. The other rules judge the responses of the final reads.
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
