import { inspect } from 'node:util'
import fc from 'fast-check'

/** How many inputs to try. */
export interface FuzzOptions {
  readonly runs: number
  /** Determines the inputs. @default another seed each time */
  readonly seed?: number | undefined
}

/**
 * Tries inputs until one leads to a complaint. Resolves to the complaint with the shortest such input that was found, or to
 * `undefined`.
 */
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
