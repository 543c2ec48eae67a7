const leastLikeness = 0.6

/**
 * Returns the known name that a misspelled or incomplete name probably stands for: `accessTokenLifetimeSeconds` for
 * `accessTokenSecond`. Returns `undefined` if no name is similar.
 */
export const findClosestName = (name: string, known: readonly string[]): string | undefined => {
  const [closest] = known
    .map((candidate) => ({ candidate, likeness: measureLikeness(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ likeness }) => likeness >= leastLikeness)
    .toSorted((a, b) => b.likeness - a.likeness)
  return closest?.candidate
}

// The share of the letters of both names that occur in both, in the same order. An edit distance would find no incomplete names.
const measureLikeness = (a: string, b: string): number => (2 * countCommon(a, b)) / (a.length + b.length)

/** Returns the length of the longest common subsequence. */
const countCommon = (a: string, b: string): number => {
  let counts: readonly number[] = new Array<number>(b.length + 1).fill(0)
  for (const letter of a) {
    const next = [0]
    for (let place = 0; place < b.length; place += 1) {
      const extended = (counts[place] ?? 0) + 1
      next.push(letter === b[place] ? extended : Math.max(next[place] ?? 0, counts[place + 1] ?? 0))
    }
    counts = next
  }
  return counts.at(-1) ?? 0
}
