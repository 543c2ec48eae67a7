import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Random choices that a seed determines. */
export interface Random {
  /** Returns an integer from `min` to `max`, both included. */
  readonly between: (min: number, max: number) => number
  /** Returns true once in so many calls, on average. */
  readonly isOneIn: (times: number) => boolean
  /** Returns one item of a list. Throws a `RangeError` for an empty list. */
  readonly pick: <T>(list: readonly T[]) => T
}

/** Creates random choices. The same seed leads to the same choices. */
export const createRandom = (seed: number): Random => {
  const generator = xoroshiro128plus(seed)
  const between = (min: number, max: number): number => uniformInt(generator, min, max)
  return {
    between,
    isOneIn: (times) => between(1, times) === 1,
    pick: (list) => {
      const [picked] = list.slice(between(0, list.length - 1))
      if (picked === undefined) throw new RangeError('The list is empty.')
      return picked
    },
  }
}
