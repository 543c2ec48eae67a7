import type { Operation } from '../operation.js'
import type { Violation } from '../violation.js'

const rule = 'what was acknowledged is there at the end'

/**
 * Sessions whose history has no final reads, one of each token, with an answer and after all the rest. What they were answered
 * is judged by the other rules.
 */
export const findMissingFinalReads = (operations: readonly Operation[]): readonly Violation[] => {
  if (operations.every(({ outcome }) => outcome.kind !== 'granted')) return []
  const others = operations.filter(({ isFinal }) => !isFinal)
  const lastEnd = Math.max(...others.map(({ end }) => end))
  const reads = operations.filter(
    ({ isFinal, begin, outcome }) => isFinal && begin > lastEnd && outcome.kind !== 'lost' && outcome.kind !== 'failed',
  )
  const missing = (['authorize', 'refresh'] as const).filter((kind) => reads.every((read) => read.kind !== kind))
  if (missing.length === 0) return []
  const text = `no final ${missing.join(' and no final ')} was answered after all the rest`
  const finals = operations.filter(({ isFinal }) => isFinal)
  return [{ rule, text, operations: finals.length > 0 ? finals : others.slice(-1) }]
}
