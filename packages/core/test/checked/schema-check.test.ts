import { memoryStorage } from '@jwt-auth/storage-memory'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { type SchemaVersions, toStorageStatus } from '../../src/adapter.js'
import type { CallOptions, SessionStorage, StorageStatus } from '../../src/index.js'

const knownVersion = 2
const compatible = { schemaVersion: 3, oldestCompatible: 2 }
const tooNew = { schemaVersion: 4, oldestCompatible: 3 }
const unreachable: StorageStatus = { isReachable: false, isReady: false, knownVersion, error: new Error('no backend') }
const refusal =
  'jwt-auth: the schema of the storage has version 4, which needs code that knows version 3 or later; this package knows version 2. Deploy the newer package.'

/** A service, and the calls that its storage received. */
const createCheckedService = (status: (options?: CallOptions) => Promise<StorageStatus>) => {
  const calls: string[] = []
  const memory = memoryStorage({ quiet: true })
  const storage: SessionStorage = {
    ...memory,
    isInProcess: false,
    status: (options) => {
      calls.push('status')
      return status(options)
    },
    create: (session, options) => {
      calls.push('create')
      return memory.create(session, options)
    },
  }
  return { ...createTestService({ storage }), calls }
}

const resolveTo =
  (found: SchemaVersions): (() => Promise<StorageStatus>) =>
  async () =>
    toStorageStatus(found, knownVersion)

describe('the status of a storage', () => {
  const cases = [
    { found: { schemaVersion: 0, oldestCompatible: 0 }, isMigrationNeeded: true, isCompatible: true, isReady: false },
    { found: { schemaVersion: 1, oldestCompatible: 1 }, isMigrationNeeded: true, isCompatible: true, isReady: false },
    { found: { schemaVersion: 2, oldestCompatible: 2 }, isMigrationNeeded: false, isCompatible: true, isReady: true },
    { found: compatible, isMigrationNeeded: false, isCompatible: true, isReady: true },
    { found: tooNew, isMigrationNeeded: false, isCompatible: false, isReady: false },
  ]
  it.each(cases.map((one) => [one.found.schemaVersion, one.found.oldestCompatible, one] as const))(
    'has the comparison of the schema version %i, compatible from %i, with the known version 2',
    (_version, _oldest, { found, ...expected }) => {
      expect(toStorageStatus(found, 2)).toEqual({ isReachable: true, ...found, knownVersion: 2, ...expected })
    },
  )

  it('is not ready when the storage accepts no writes', () => {
    const error = new Error('read-only')
    expect(toStorageStatus({ ...compatible, error }, 2)).toMatchObject({ isReady: false, isCompatible: true, error })
  })
})

describe('a service', () => {
  it('reads the status of its storage once, before its first call', async () => {
    const { login, calls } = createCheckedService(resolveTo(compatible))
    await Promise.all([login(), login()])
    await login()
    expect(calls).toEqual(['status', 'create', 'create', 'create'])
  })

  it('emits an event when the storage has another primary after a call failed', async () => {
    const memory = memoryStorage({ quiet: true })
    let [primary, isDown] = ['one', false]
    const { login, events, system } = createTestService({
      storage: {
        ...memory,
        isInProcess: false,
        status: async () => (isDown ? unreachable : toStorageStatus({ ...compatible, primary }, knownVersion)),
        create: async (session) => (isDown ? Promise.reject(new Error('no backend')) : memory.create(session)),
      },
    })
    const findChanges = () => events.filter(({ type }) => type === 'storage_primary_changed')
    await login()
    isDown = true
    for (const _ of [1, 2]) await expect(login()).rejects.toMatchObject({ code: 'jwt_auth_unavailable' })
    primary = 'two'
    isDown = false
    await login()
    expect(findChanges()).toEqual([])
    system.advance(5_000)
    await login()
    await login()
    const at = new Date(system.now())
    expect(findChanges()).toEqual([{ type: 'storage_primary_changed', before: 'one', after: 'two', at }])
  })

  it('accepts a storage whose schema is older', async () => {
    const { login, calls } = createCheckedService(resolveTo({ schemaVersion: 1, oldestCompatible: 1 }))
    await login()
    expect(calls).toEqual(['status', 'create'])
  })

  it('sends nothing to a storage whose schema is too new, and names the versions and the fix', async () => {
    const { login, calls } = createCheckedService(resolveTo(tooNew))
    await expect(login()).rejects.toMatchObject({ code: 'jwt_auth_unavailable', cause: { message: refusal } })
    await expect(login()).rejects.toMatchObject({ code: 'jwt_auth_unavailable', cause: { message: refusal } })
    expect(calls).toEqual(['status', 'status'])
  })

  it('uses the storage again once its schema is compatible', async () => {
    let found = tooNew
    const { login, calls } = createCheckedService(async () => toStorageStatus(found, knownVersion))
    await expect(login()).rejects.toThrow()
    found = compatible
    await login()
    expect(calls).toEqual(['status', 'status', 'create'])
  })

  it.each([
    ['is unreachable', async () => unreachable],
    ['rejects', () => Promise.reject(new Error('broken'))],
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
  ])('uses the storage when its status %s, and reads the status again after five seconds', async (_, status) => {
    const { login, calls, system } = createCheckedService(status)
    await login()
    system.advance(4_999)
    await login()
    expect(calls).toEqual(['status', 'create', 'create'])
    system.advance(1)
    await login()
    expect(calls).toEqual(['status', 'create', 'create', 'status', 'create'])
  })

  it('uses the storage after the deadline of the status, which aborts its signal', async () => {
    const signals: (AbortSignal | undefined)[] = []
    const { login, calls, system } = createCheckedService((options) => {
      signals.push(options?.signal)
      return new Promise(() => {})
    })
    const first = login()
    await system.runFor(999)
    expect({ calls, aborted: signals[0]?.aborted }).toEqual({ calls: ['status'], aborted: false })
    await system.runFor(1)
    await first
    expect({ calls, aborted: signals[0]?.aborted }).toEqual({ calls: ['status', 'create'], aborted: true })
  })
})
