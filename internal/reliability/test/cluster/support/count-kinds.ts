import type { Outcome } from '../../../src/history/operation.js'

/** Returns the number of outcomes of each kind. */
export const countKinds = (outcomes: readonly Outcome[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { kind } of outcomes) counts[kind] = (counts[kind] ?? 0) + 1
  return counts
}
