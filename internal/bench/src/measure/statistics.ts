/** Returns the median. Throws without values. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/**
 * Returns the value below which a part of the values lies, interpolated. `part` is between 0 and 1.
 * Throws without values.
 */
export const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * part
  const below = sorted[Math.floor(place)]
  const above = sorted[Math.ceil(place)]
  if (below === undefined || above === undefined) throw new Error('A quantile needs values.')
  // The difference of two infinite values would be NaN.
  if (below === above) return below
  return below + (above - below) * (place - Math.floor(place))
}

/** Combines the values of two contenders that were measured in the same round. */
export const inPairs = (
  ours: readonly number[],
  theirs: readonly number[],
  combine: (our: number, their: number) => number,
): readonly number[] =>
  ours.map((our, round) => {
    const their = theirs[round]
    if (their === undefined) throw new Error('The contenders were measured in different rounds.')
    return combine(our, their)
  })
