import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { expect, it } from 'vitest'
import { toStorageStatus } from '../../src/adapter.js'
import type { SessionStorage } from '../../src/index.js'
import { sessionStorageMethods } from '../../src/internal.js'

const contexts = new AsyncLocalStorage<string>()

/** A service that was created in a context, and the calls of its storage, each with its context. */
const createContextService = (batchLookups: boolean) => {
  const calls: unknown[] = []
  const record = <Port extends object>(port: Port, methods: readonly (keyof Port & string)[]): Port =>
    new Proxy(port, {
      get: (target, name) => {
        const method = methods.find((one) => one === name)
        if (method !== undefined) calls.push([method, contexts.getStore()])
        return Reflect.get(target, name)
      },
    })
  const storage: SessionStorage = {
    ...memoryStorage({ quiet: true }),
    batchLookups,
    isInProcess: false,
    status: async () => {
      calls.push(['status', contexts.getStore()])
      return toStorageStatus({ schemaVersion: 1, oldestCompatible: 1 }, 1)
    },
  }
  const made = contexts.run('the service', () =>
    createTestService({ storage: record(storage, sessionStorageMethods), purgeIntervalSeconds: 60 }),
  )
  calls.length = 0
  return { ...made, calls }
}

it.each([
  [true, 'the service'],
  [false, 'a request'],
])('a call runs in the context of its request, or of the service if it is shared: batches %s', async (batches, own) => {
  const { service, login, system, calls } = createContextService(batches)
  await contexts.run('a request', async () => {
    const { accessToken, refreshToken } = await login()
    await service.authorize(accessToken)
    await service.refresh(refreshToken)
    await service.revoke(accessToken)
    system.fireTimers()
    await nextTurn()
  })
  expect(calls).toEqual([
    ['status', 'the service'],
    ['create', 'a request'],
    ['list', 'a request'],
    ['findByIds', own],
    ['findBySelectorHash', 'a request'],
    ['rotate', 'a request'],
    ['end', 'a request'],
    ['deleteExpired', 'the service'],
  ])
})
