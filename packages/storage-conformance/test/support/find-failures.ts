import { type AdapterUnderTest, type ConformanceCase, conformanceCases } from '../../src/index.js'

/** A case that failed, and why. */
export interface FailedCase extends Pick<ConformanceCase, 'title'> {
  readonly failure: unknown
}

/** Runs the cases of an adapter one after another. Resolves to those that fail. */
export const findFailures = async (
  adapter: AdapterUnderTest,
  isSelected: (each: ConformanceCase) => boolean = () => true,
): Promise<readonly FailedCase[]> => {
  const failed: FailedCase[] = []
  for (const each of conformanceCases(adapter).filter(isSelected)) {
    await each.run().catch((failure: unknown) => failed.push({ title: each.title, failure }))
  }
  return failed
}
