import { randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import { runConformance } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { sharesLookupsInFlight } from './broken/shares-lookups-in-flight.js'
import { mistakes } from './mistakes.js'
import { subtleMistakes } from './subtle-mistakes.js'
import { damageableStorage } from './support/damageable-storage.js'
import { failingStorage } from './support/failing-storage.js'
import { holdableStorage } from './support/holdable-storage.js'
import { wrapCalls } from './support/wrap-calls.js'

const createStorage = () => memoryStorage({ quiet: true })

/** Waits 1 to 6 turns of the event loop before and after each call. */
const jitteryStorage = (storage: SessionStorage): SessionStorage => {
  const waitTurns = async () => {
    for (let turns = randomInt(1, 7); turns > 0; turns -= 1) await setImmediate()
  }
  return wrapCalls(storage, async (send, options) => {
    await waitTurns()
    return send(options).finally(waitTurns)
  })
}

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

  it('fails an adapter that shares lookups in flight on a storage with jitter', async () => {
    const { results } = await runConformance(createStorage, {
      createSharedStorages: () => {
        const storage = jitteryStorage(createStorage())
        return [storage, sharesLookupsInFlight(storage)]
      },
    })
    const failed = results.filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ title }) => title)).toEqual([
      expect.stringContaining('earlier lookups of the session are in flight'),
    ])
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
