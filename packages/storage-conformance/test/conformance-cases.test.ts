import { type AdapterUnderTest, conformanceCases } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { capabilities } from '../src/conformance-case.js'
import { failingStorage } from './support/test-storages.js'

const createStorage = () => memoryStorage({ quiet: true })
const createPair = () => [createStorage(), createStorage()] as const
const adapter: AdapterUnderTest = {
  createStorage,
  createFailingStorage: failingStorage,
  createInterruptedStorages: createPair,
  createHeldStorage: () => [createStorage(), 'nothing-to-hold'],
  createSharedStorages: createPair,
  createProcessStorages: createPair,
  createDamageableStorage: () => [createStorage(), 'nothing-to-damage'],
}
const cases = conformanceCases(adapter)

describe('the conformance cases', () => {
  it('have unique titles', () => {
    const titles = cases.map(({ title }) => title)
    expect(titles.filter((title, position) => titles.indexOf(title) !== position)).toEqual([])
  })

  it('cover every capability, in the order of the report', () => {
    expect([...new Set(cases.map(({ capability }) => capability))]).toEqual(capabilities)
  })

  it('leave out the capabilities for which the adapter has no function', () => {
    const own = new Set(conformanceCases({ createStorage }).map(({ capability }) => capability))
    expect(capabilities.filter((capability) => !own.has(capability))).toEqual([
      'failures',
      'interruptions',
      'waiting',
      'sharing',
      'processes',
      'damage',
    ])
  })
})
