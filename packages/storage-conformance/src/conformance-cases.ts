import { clearingCases } from './cases/clearing.js'
import { comparisonCases } from './cases/comparison.js'
import { copyCases } from './cases/copies.js'
import { creationCases } from './cases/creation.js'
import { deadlineCases } from './cases/deadlines.js'
import { deletionCases } from './cases/deletion.js'
import { endingCases } from './cases/ending.js'
import { endingAllCases } from './cases/ending-all.js'
import { endingCreatedBeforeCases } from './cases/ending-created-before.js'
import { firedDeadlineCases } from './cases/fired-deadlines.js'
import { issuerCases } from './cases/issuers.js'
import { listingCases } from './cases/listing.js'
import { batchLookupCases, selectorLookupCases } from './cases/lookup.js'
import { oneWinnerCases } from './cases/one-winner.js'
import { pairCases } from './cases/pairs.js'
import { precisionCases } from './cases/precision.js'
import { rotationCases } from './cases/rotation.js'
import { statusCases } from './cases/status.js'
import { textCases } from './cases/text.js'
import { userIdCases } from './cases/user-ids.js'
import type { ConformanceCase } from './conformance-case.js'

/**
 * The requirements that can be checked with the methods of one storage. Run each case on an empty storage.
 *
 * @example
 * ```ts
 * for (const { title, run } of conformanceCases) test(title, async () => run(await emptyStorage()))
 * ```
 */
export const conformanceCases: readonly ConformanceCase[] = [
  ...creationCases,
  ...batchLookupCases,
  ...selectorLookupCases,
  ...rotationCases,
  ...endingCases,
  ...endingAllCases,
  ...endingCreatedBeforeCases,
  ...listingCases,
  ...clearingCases,
  ...deletionCases,
  ...copyCases,
  ...precisionCases,
  ...textCases,
  ...comparisonCases,
  ...userIdCases,
  ...issuerCases,
  ...oneWinnerCases,
  ...pairCases,
  ...deadlineCases,
  ...firedDeadlineCases,
  ...statusCases,
]
