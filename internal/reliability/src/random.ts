import { uniformInt } from 'pure-rand/distribution/uniformInt'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** Chance that a seed determines. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  readonly between: (min: number, max: number) => number
  /** True once in so many times. */
  readonly isOneIn: (times: number) => boolean
  /** One of a list that is not empty. */
  readonly pick: <T>(list: readonly T[]) => T
}

/** The same seed gives the same chance. */
export const createRandom = (seed: number): Random => {
  const generator = xoroshiro128plus(seed)
  const between = (min: number, max: number): number => uniformInt(generator, min, max)
  return {
    between,
    isOneIn: (times) => between(1, times) === 1,
    pick: (list) => {
      const [picked] = list.slice(between(0, list.length - 1))
      if (picked === undefined) throw new RangeError('There is nothing to pick from.')
      return picked
    },
  }
}
