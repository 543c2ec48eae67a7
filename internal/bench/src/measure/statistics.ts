/** Returns the median. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/**
 * Returns the value below which a part of the values lies, interpolated between two values. `part`
 * is between 0 and 1.
 */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * part
  const [low = Number.NaN, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low + (high - low) * (place % 1)
}

/** Combines the values of two contenders that were measured in the same round. */
export const inPairs = (
  ours: readonly number[],
  theirs: readonly number[],
  combine: (our: number, their: number) => number,
): readonly number[] => ours.map((our, round) => combine(our, theirs[round] ?? Number.NaN))
