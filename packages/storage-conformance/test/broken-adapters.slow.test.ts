import { randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { SessionStorage } from '@jwt-auth/core'
import { type AdapterUnderTest, runConformance } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { changeMistakes } from './mistakes/changes.js'
import { damageMistakes, errorMistakes, signalMistakes } from './mistakes/failures.js'
import { cleanUpMistakes, listMistakes, waitsForDeletions } from './mistakes/lists-and-clean-up.js'
import { lookupMistakes, sharesLookups } from './mistakes/lookups.js'
import { breakStorage } from './mistakes/mistake.js'
import { valueMistakes } from './mistakes/values.js'
import {
  damageableStorage,
  failingStorage,
  holdableStorage,
  interruptedStorage,
  wrapCalls,
} from './support/test-storages.js'

const createStorage = () => memoryStorage({ quiet: true })

const mistakes = [
  ...lookupMistakes,
  ...changeMistakes,
  ...listMistakes,
  ...cleanUpMistakes,
  ...valueMistakes,
  ...signalMistakes,
  ...errorMistakes,
  ...damageMistakes,
]

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

const findFailed = async (
  wrap: (storage: SessionStorage) => SessionStorage,
  isWaiting = true,
): Promise<readonly string[]> => {
  const only = ({ title }: { readonly title: string }) => isWaiting || title !== waitsForDeletions
  const adapter: AdapterUnderTest = {
    createStorage: () => wrap(createStorage()),
    createFailingStorage: () => wrap(failingStorage()),
    createHeldStorage: () => {
      const [storage, hold] = holdableStorage(createStorage())
      return [wrap(storage), hold]
    },
    createInterruptedStorages: (moment) => {
      const healthy = createStorage()
      return [wrap(interruptedStorage(healthy, moment)), healthy]
    },
    createSharedStorages: () => {
      const storage = createStorage()
      return [storage, wrap(storage)]
    },
    createDamageableStorage: () => {
      const [storage, damage] = damageableStorage(createStorage())
      return [wrap(storage), damage]
    },
  }
  const { results } = await runConformance(adapter, { only })
  return results.filter(({ outcome }) => outcome === 'failed').map(({ title }) => title)
}

describe('the conformance suite', () => {
  it('passes memory storage in every case', async () => {
    expect(await findFailed((storage) => storage)).toEqual([])
  })

  it('fails an adapter that shares lookups in flight on a storage with jitter', async () => {
    const { results } = await runConformance({
      createStorage,
      createSharedStorages: () => {
        const storage = jitteryStorage(createStorage())
        return [storage, breakStorage(sharesLookups, storage)]
      },
    })
    const failed = results.filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ title }) => title)).toEqual([
      expect.stringContaining('while earlier lookups are in flight, through two storages'),
    ])
  })

  for (const mistake of mistakes) {
    const { does, caughtBy = [], caughtOnlyBy } = mistake
    it(`fails an adapter that ${does}${caughtOnlyBy ? ', in the expected cases only' : ''}`, async () => {
      const isWaiting = caughtBy.includes(waitsForDeletions)
      const failed = await findFailed((storage) => breakStorage(mistake, storage), isWaiting)
      expect(failed).not.toEqual([])
      expect(failed).toEqual(caughtOnlyBy ?? expect.arrayContaining([...caughtBy]))
    })
  }
})
