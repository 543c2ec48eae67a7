import { memoryStorage } from '@jwt-auth/storage-memory'
import { expect, it } from 'vitest'
import { type DefectName, defectNames } from '../../src/defects.js'
import { findCounterexample } from '../../src/model/find-counterexample.js'

/** For each defect, a seed with which the model finds it soon. */
const seeds: Readonly<Record<DefectName, number>> = {
  'caches-lookups': 7,
  'joins-lookups': 2,
  'misses-failures': 9,
  'blind-swap': 17,
  'early-swap': 4,
  'unconfirmed-repeat': 20,
  'forgets-keys': 1,
  'short-memory': 4,
  'early-end': 3,
  'unwritten-end': 7,
  'listed-ends': 5,
  'empty-lists': 23,
  'remembered-users': 14,
}

it.each(defectNames)('a service with the defect %s breaks the model', async (defect) => {
  const subject = { createStorage: () => memoryStorage({ quiet: true }), defect }
  const seed = seeds[defect]
  expect(await findCounterexample(subject, { runs: 1_500, seed, isShortened: false })).toMatchObject({ seed })
})
