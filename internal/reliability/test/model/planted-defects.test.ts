import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { type DefectName, defectNames } from '../../src/defects.js'
import { publishedFailures } from '../../src/model/cases/published-failures.js'
import { findCounterexample } from '../../src/model/find-counterexample.js'
import { createSubject } from '../../src/model/model-instance.js'

/**
 * For each defect, a seed with which the model finds it soon, and the published failures (counted
 * from 1) that find it.
 */
const expected: Readonly<Record<DefectName, { readonly seed: number; readonly failures: readonly number[] }>> = {
  'caches-lookups': { seed: 7, failures: [10] },
  'joins-lookups': { seed: 11, failures: [10] },
  'misses-failures': { seed: 9, failures: [] },
  'blind-swap': { seed: 17, failures: [1, 5, 9] },
  'early-swap': { seed: 4, failures: [1, 5, 8, 9] },
  'unconfirmed-repeat': { seed: 20, failures: [] },
  'short-memory': { seed: 4, failures: [3] },
  'early-end': { seed: 3, failures: [2, 4, 6, 7, 9, 10, 11, 12] },
  'unwritten-end': { seed: 7, failures: [11] },
  'listed-ends': { seed: 3, failures: [] },
  'empty-lists': { seed: 23, failures: [] },
  'remembered-users': { seed: 14, failures: [12] },
}

describe.each(defectNames)('a service with the defect %s', (defect) => {
  const subject = createSubject(() => memoryStorage({ quiet: true }), defect)
  const { seed, failures } = expected[defect]

  it('breaks the model', async () => {
    expect(await findCounterexample(subject, { runs: 1_500, seed, isShortened: false })).toMatchObject({ seed })
  })

  it('has exactly the expected published failures', async () => {
    const outcomes = await Promise.allSettled(publishedFailures.map(({ run }) => run(subject)))
    const found = outcomes.flatMap(({ status }, place) => (status === 'rejected' ? [place + 1] : []))
    expect(found).toEqual(failures)
  })
})
