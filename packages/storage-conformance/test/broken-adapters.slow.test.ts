import type { SessionStorage } from '@jwt-auth/core'
import { runConformance } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { mistakes } from './mistakes.js'
import { subtleMistakes } from './subtle-mistakes.js'
import { damageableStorage } from './support/damageable-storage.js'
import { failingStorage } from './support/failing-storage.js'
import { holdableStorage } from './support/holdable-storage.js'

const createStorage = () => memoryStorage({ quiet: true })

const findFailed = async (breakStorage: (storage: SessionStorage) => SessionStorage): Promise<readonly string[]> => {
  const { results } = await runConformance(() => breakStorage(createStorage()), {
    createFailingStorage: () => breakStorage(failingStorage()),
    createHeldStorage: () => {
      const [storage, hold] = holdableStorage(createStorage())
      return [breakStorage(storage), hold]
    },
    createSharedStorages: () => {
      const storage = createStorage()
      return [storage, breakStorage(storage)]
    },
    createDamageableStorage: () => {
      const [storage, damage] = damageableStorage(createStorage())
      return [breakStorage(storage), damage]
    },
  })
  return results.filter(({ outcome }) => outcome === 'failed').map(({ title }) => title)
}

describe('the conformance suite', () => {
  it('passes memory storage in every case', async () => {
    expect(await findFailed((storage) => storage)).toEqual([])
  })

  for (const { breakStorage, caughtBy } of mistakes) {
    it(`fails an adapter with the mistake ${breakStorage.name}`, async () => {
      expect(await findFailed(breakStorage)).toEqual(expect.arrayContaining([...caughtBy]))
    })
  }

  for (const { breakStorage, caughtBy } of subtleMistakes) {
    it(`fails an adapter with the mistake ${breakStorage.name} in the expected cases only`, async () => {
      expect(await findFailed(breakStorage)).toEqual(caughtBy)
    })
  }
})
