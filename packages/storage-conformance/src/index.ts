import { creationAndLookup } from './cases/creation-and-lookup.js'
import { endingCases } from './cases/ending.js'
import { listingAndDeletion } from './cases/listing-and-deletion.js'
import { rotationCases } from './cases/rotation.js'
import type { ConformanceCase } from './conformance-case.js'

export type { ConformanceCase } from './conformance-case.js'
export { sampleSession } from './sample-session.js'

/** Every promise of the storage port that this version checks. Each case runs on an empty storage. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...creationAndLookup,
  ...rotationCases,
  ...endingCases,
  ...listingAndDeletion,
]
