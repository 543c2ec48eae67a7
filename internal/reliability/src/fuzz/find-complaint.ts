import { inspect } from 'node:util'
import fc from 'fast-check'

/** How much is tried, and where a search begins that finds the same again. */
export interface FuzzOptions {
  readonly runs: number
  /** @default another one each time */
  readonly seed?: number | undefined
}

/** Tries inputs until one is complained of: the complaint with the shortest such input that was found, or `undefined`. */
export const findComplaint = async <T>(
  inputs: fc.Arbitrary<T>,
  tryInput: (input: T) => Promise<string | undefined>,
  { runs, seed }: FuzzOptions,
): Promise<string | undefined> => {
  let wrong = ''
  const property = fc.asyncProperty(inputs, async (input) => {
    const complaint = await tryInput(input)
    wrong = complaint ?? wrong
    return complaint === undefined
  })
  const {
    failed,
    seed: used,
    counterexample,
  } = await fc.check(property, {
    numRuns: runs,
    ...(seed !== undefined && { seed }),
  })
  return failed ? `seed ${used}: ${wrong}\n${inspect(counterexample?.[0], { depth: 9 })}` : undefined
}
