import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Random choices that a seed determines. */
export type Random = ReturnType<typeof createRandom>

/** Creates random choices. The same seed leads to the same choices. */
export const createRandom = (seed: number) => {
  const generator = xoroshiro128plus(seed)
  const between = (min: number, max: number): number => uniformInt(generator, min, max)
  return {
    /** Returns an integer from `min` to `max`, both included. */
    between,
    /** Returns true once in so many calls, on average. */
    isOneIn: (times: number): boolean => between(1, times) === 1,
    /** Returns one item of a list. Throws a `RangeError` for an empty list. */
    pick: <T>(list: readonly T[]): T => {
      const [picked] = list.slice(between(0, list.length - 1))
      if (picked === undefined) throw new RangeError('The list is empty.')
      return picked
    },
  }
}
