import type { SessionStorage } from '@jwt-auth/core'
import { type AdapterUnderTest, conformanceCases } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { capabilities } from '../src/conformance-case.js'
import { findFailures } from './support/find-failures.js'
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

  it('cover every capability', () => {
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

  it('run on a storage of their own, which is closed after the case, and fail if it cannot be created', async () => {
    const made: SessionStorage[] = []
    const closed: SessionStorage[] = []
    const createAndRemember = () => {
      const storage = createStorage()
      made.push(storage)
      return storage
    }
    const own = { createStorage: createAndRemember, close: (storage: SessionStorage) => closed.push(storage) }
    expect(await findFailures(own)).toEqual([])
    expect(new Set(made).size).toBe(conformanceCases(own).length)
    expect(closed).toEqual(made)
    const [first] = conformanceCases({ createStorage: () => Promise.reject(new Error('no database')) })
    await expect(first?.run()).rejects.toThrow('no database')
  })
})
