import { setImmediate as nextTurn } from 'node:timers/promises'
import type { AdapterUnderTest } from '@jwt-auth/storage-conformance'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { findFailures } from './support/find-failures.js'
import { holdableStorage } from './support/test-storages.js'

const createStorage = () => memoryStorage({ quiet: true })

/** Runs the waiting cases. Resolves to the first lines of their failures. */
const findFailedWhileHeld = async (createHeldStorage: AdapterUnderTest['createHeldStorage']) => {
  const failed = await findFailures({ createStorage, createHeldStorage }, ({ capability }) => capability === 'waiting')
  return failed.map(({ failure }) => (failure instanceof Error ? failure.message.split('\n', 1)[0] : failure))
}

describe('the waiting cases', () => {
  it('fail when a call waits although the adapter has nothing to hold', async () => {
    const waiting = { ...createStorage(), end: () => new Promise<never>(() => {}) }
    const failures = await findFailedWhileHeld(() => [waiting, 'nothing-to-hold'])
    expect(failures).toEqual(new Array(3).fill("'nothing-to-hold' is wrong: these calls wait for the backend: end"))
  })

  it('pass when only writes wait while the backend is held', async () => {
    const createHeldStorage = () => {
      const inner = createStorage()
      const { findByIds, findBySelectorHash, list } = inner
      const [storage, hold] = holdableStorage(inner)
      return [{ ...storage, findByIds, findBySelectorHash, list }, hold] as const
    }
    expect(await findFailedWhileHeld(createHeldStorage)).toEqual([])
  })

  it.each(['end', 'findByIds'] as const)(
    'fail when %s succeeds after a turn of the event loop while the backend is held',
    async (name) => {
      const createHeldStorage = () => {
        const inner = createStorage()
        const [storage, hold] = holdableStorage(inner)
        const late = async (...args: unknown[]) => {
          await nextTurn()
          return Reflect.apply(inner[name], inner, args)
        }
        return [{ ...storage, [name]: late }, hold] as const
      }
      expect(await findFailedWhileHeld(createHeldStorage)).toContain(`not rejected while the backend was held: ${name}`)
    },
  )

  it('fail when a write succeeds within a turn of the event loop while the backend is held', async () => {
    const createHeldStorage = () => {
      const [storage, hold] = holdableStorage(createStorage())
      return [{ ...storage, end: async () => ({ outcome: 'ended' as const }) }, hold] as const
    }
    expect(await findFailedWhileHeld(createHeldStorage)).toContain('not rejected while the backend was held: end')
  })
})
