/** Returns the median. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

/** Returns the value below which a part of the values lies. `part` is between 0 and 1. */
export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? Number.NaN

/** Combines the values of two contenders that were measured in the same round. */
export const inPairs = (
  ours: readonly number[],
  theirs: readonly number[],
  combine: (our: number, their: number) => number,
): readonly number[] => ours.map((our, round) => combine(our, theirs[round] ?? Number.NaN))
