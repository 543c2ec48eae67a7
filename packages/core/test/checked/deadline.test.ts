import { memoryStorage } from '@jwt-auth/storage-memory'
import { createTestSystem, type TestSystem } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import { createCheckedStorage } from '../../src/checked/checked-storage.js'
import type { SessionStorage } from '../../src/ports/session-storage.js'
import type { CallOptions } from '../../src/system.js'
import { createDeadline, onAbort } from '../../src/system.js'

const never = new Promise<never>(() => {})

/** A memory storage whose lookups never settle, and which records their arguments. */
const hangingStorage = () => {
  const calls: CallOptions[] = []
  const storage: SessionStorage = {
    ...memoryStorage({ quiet: true }),
    isInProcess: false,
    findByIds: (_, options = {}) => {
      calls.push(options)
      return never
    },
  }
  return { storage, calls }
}

const openSessions = (storage: SessionStorage, system: TestSystem) =>
  createCheckedStorage(storage, {
    issuers: ['issuer'],
    runInTime: createDeadline(1_000, system),
    monotonicMs: system.monotonicMs,
    report: () => {},
    reportDifference: () => {},
    onPrimaryChange: () => {},
  })

describe('a storage call', () => {
  it('rejects with jwt_auth_unavailable at the deadline, and its signal is aborted', async () => {
    const system = createTestSystem()
    const { storage, calls } = hangingStorage()
    const checked = openSessions(storage, system)
    const found = checked.findById('id')
    expect({ timers: system.timers(), aborted: calls[0]?.signal?.aborted }).toEqual({ timers: [1_000], aborted: false })

    system.fireTimers()
    await expect(found).rejects.toMatchObject({
      code: 'jwt_auth_unavailable',
      cause: { message: 'jwt-auth: no response within 1000 ms (option `callTimeoutMs`).' },
    })
    expect(calls[0]?.signal?.aborted).toBe(true)
  })

  it.each([
    [99, ''],
    [100, '; the event loop was blocked for at least 100 ms'],
  ])('names in its error that the event loop was blocked, if its deadline was late: %i ms', async (lateMs, stall) => {
    const system = createTestSystem()
    const found = openSessions(hangingStorage().storage, system).findById('id')
    system.advance(1_000 + lateMs)
    system.fireTimers()
    if (stall !== '') system.fireTimers()
    await expect(found).rejects.toMatchObject({
      cause: { message: `jwt-auth: no response within 1000 ms (option \`callTimeoutMs\`)${stall}.` },
    })
  })

  it('stops its timer when it settles in time', async () => {
    const system = createTestSystem()
    const checked = openSessions({ ...memoryStorage({ quiet: true }), isInProcess: false }, system)
    const found = checked.findById('id')
    expect(system.timers()).toEqual([1_000])
    await found
    expect(system.timers()).toEqual([])
  })

  it('has no deadline and no signal in a storage in this process', async () => {
    const system = createTestSystem()
    const { storage, calls } = hangingStorage()
    void openSessions({ ...storage, isInProcess: true }, system).findById('id')
    expect({ timers: system.timers(), calls }).toEqual({ timers: [], calls: [{}] })
  })

  it('rejects with jwt_auth_unavailable when it throws synchronously, and stops its timer', async () => {
    const system = createTestSystem()
    const storage: SessionStorage = {
      ...memoryStorage({ quiet: true }),
      isInProcess: false,
      list: () => {
        throw new Error('broken')
      },
    }
    const checked = openSessions(storage, system)
    await expect(checked.list({ userId: 1, activeAt: 0, limit: 1 })).rejects.toMatchObject({
      code: 'jwt_auth_unavailable',
    })
    expect(system.timers()).toEqual([])
  })
})

describe('a call with a deadline', () => {
  it('calls its listeners at the deadline, and those that are added later immediately', async () => {
    const system = createTestSystem()
    const received: unknown[] = []
    let late: CallOptions = {}
    const call = createDeadline(
      1_000,
      system,
    )((options) => {
      onAbort(options, (reason) => received.push(reason))
      onAbort(options, () => received.push('removed'))()
      late = options
      return never
    }).catch((reason: unknown) => reason)
    system.fireTimers()
    onAbort(late, (reason) => received.push(reason))
    const timeout = await call
    expect(received).toEqual([timeout, timeout])
    expect(late.signal).toMatchObject({ aborted: true, reason: timeout })
  })

  it('has its signal in a copy of its options too', async () => {
    const system = createTestSystem()
    const signals = createDeadline(
      1_000,
      system,
    )(async (options) => [options.signal, { ...options }.signal, { ...options }.signal])
    const [signal] = await signals
    expect(signal).toBeInstanceOf(AbortSignal)
    expect(await signals).toEqual([signal, signal, signal])
  })
})
