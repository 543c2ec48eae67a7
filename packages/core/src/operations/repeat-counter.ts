/** How many repeats of one replaced refresh token a process accepts; the next ones are refused. */
export const mostRepeats = 20

// Bounds the memory. A client can replace so many tokens of its own session that the count of one is forgotten: it then has
// 20 more repeats of that token.
const mostCounted = 10_000

/** Counts another repeat of a replaced refresh token, named by its hash. Returns its number, the first one being 1. */
export type CountRepeat = (verifierHash: string) => number

/** Makes the counter of one process. A verifier is never used again, so that a count needs no end but the bound on all of them. */
export const createRepeatCounter = (): CountRepeat => {
  const counts = new Map<string, number>()
  return (verifierHash) => {
    const count = (counts.get(verifierHash) ?? 0) + 1
    counts.delete(verifierHash)
    counts.set(verifierHash, count)
    const [oldest] = counts.keys()
    if (counts.size > mostCounted && oldest !== undefined) counts.delete(oldest)
    return count
  }
}
