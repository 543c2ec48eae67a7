import type { SessionStorage } from '@jwt-auth/core'
import { runConformance } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { mistakes } from './mistakes.js'
import { subtleMistakes } from './subtle-mistakes.js'
import { failingStorage } from './support/failing-storage.js'
import { holdableStorage } from './support/holdable-storage.js'

const createStorage = () => memoryStorage({ quiet: true })

const findBroken = async (breakStorage: (storage: SessionStorage) => SessionStorage): Promise<readonly string[]> => {
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
  })
  return results.filter(({ outcome }) => outcome === 'broken').map(({ title }) => title)
}

describe('the cases', () => {
  it('find nothing broken in memory storage', async () => {
    expect(await findBroken((storage) => storage)).toEqual([])
  })

  it.each(mistakes)(
    'catch an adapter that makes the mistake $breakStorage.name',
    async ({ breakStorage, caughtBy }) => {
      expect(await findBroken(breakStorage)).toEqual(expect.arrayContaining([...caughtBy]))
    },
  )

  it.each(subtleMistakes)(
    'catch an adapter that makes the mistake $breakStorage.name, which breaks no other cases',
    async ({ breakStorage, caughtBy }) => {
      expect(await findBroken(breakStorage)).toEqual(caughtBy)
    },
  )
})
