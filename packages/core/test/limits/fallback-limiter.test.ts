import { setImmediate as nextTurn } from 'node:timers/promises'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { describe, expect, it } from 'vitest'
import type { AuthError } from '../../src/errors/auth-error.js'
import { createFallbackLimiter, createMemoryLimiter } from '../../src/limits/limiter.js'
import type { Limiter } from '../../src/ports/limiter.js'
import { createDeadline } from '../../src/system.js'

const failure = new Error('connect ECONNREFUSED limits.internal:6379')

type State = 'responds' | 'fails' | 'is silent' | 'returns no window' | 'returns a count of 0'

/** A limiter over a store that, as the test says, responds, fails, never responds, or responds wrongly. */
const createFallback = () => {
  const system = createTestSystem()
  const reports: AuthError[] = []
  const counting = createMemoryLimiter()
  let state: State = 'responds'
  let callCount = 0
  const respond = async <T>(call: () => Promise<T>): Promise<T> => {
    callCount += 1
    if (state === 'fails') throw failure
    if (state === 'is silent') return new Promise<T>(() => {})
    return call()
  }
  const store: Limiter = {
    reserve: (counts, options) =>
      respond(async () => {
        const reserved = await counting.reserve(counts, options)
        if (state === 'returns no window') return { ...reserved, windows: [] }
        if (state !== 'returns a count of 0') return reserved
        return { ...reserved, windows: reserved.windows.map((window) => ({ ...window, count: 0 })) }
      }),
    refund: (windows, options) => respond(() => counting.refund(windows, options)),
  }
  const limiter = createFallbackLimiter(store, createMemoryLimiter(), {
    monotonicMs: system.monotonicMs,
    runInTime: createDeadline(1_000, system),
    report: (error) => reports.push(error),
  })
  const reserve = async (mark?: string) => {
    const { windows, isMarked } = await limiter.reserve([{ key: 'a', durationSeconds: 60 }], {
      now: system.now(),
      mark,
    })
    return { windows, isMarked, count: windows[0]?.count }
  }
  return {
    limiter,
    system,
    reports,
    reserve,
    /** Adds an attempt of another instance. */
    addElsewhere: () => counting.reserve([{ key: 'a', durationSeconds: 60 }], { now: system.now() }),
    become: (next: State) => {
      state = next
    },
    callCount: () => callCount,
  }
}

describe('createFallbackLimiter', () => {
  it('resolves to the counts of the store, and reports nothing', async () => {
    const { reserve, addElsewhere, reports } = createFallback()
    await addElsewhere()
    expect(await reserve()).toMatchObject({ count: 2 })
    expect(reports).toEqual([])
  })

  it('counts in memory while the store fails', async () => {
    const { reserve, become } = createFallback()
    become('fails')
    expect([(await reserve()).count, (await reserve()).count]).toEqual([1, 2])
  })

  it('counts in memory when the store does not respond before the deadline', async () => {
    const { reserve, system, become, reports } = createFallback()
    become('is silent')
    const reserved = reserve()
    await nextTurn()
    expect(system.timers()).toEqual([1_000])
    system.fireTimers()
    expect(await reserved).toMatchObject({ count: 1 })
    expect(reports).toHaveLength(1)
  })

  it.each(['returns no window', 'returns a count of 0'] as const)(
    'counts in memory when the store %s',
    async (state) => {
      const { reserve, become, reports } = createFallback()
      become(state)
      expect(await reserve()).toMatchObject({ count: 1 })
      expect(reports.map(({ cause }) => String(cause))).toEqual([
        'TypeError: jwt-auth: the limiter did not return a window for each count.',
      ])
    },
  )

  it('calls a store that failed again after five seconds, and reports the outage once', async () => {
    const { reserve, system, become, callCount, reports } = createFallback()
    become('fails')
    await reserve()
    become('responds')
    system.advance(4_999)
    await reserve()
    expect(callCount()).toBe(1)
    expect(reports.map(({ code, cause }) => [code, cause])).toEqual([['jwt_auth_unavailable', failure]])

    system.advance(1)
    await reserve()
    expect(callCount()).toBe(2)
  })

  it('reports once for calls that fail together', async () => {
    const { reserve, become, reports } = createFallback()
    become('fails')
    await Promise.all(Array.from({ length: 20 }, () => reserve()))
    expect(reports).toHaveLength(1)
  })

  it('continues from the counts of the store, and ends its windows when the store does', async () => {
    const { reserve, addElsewhere, system, become } = createFallback()
    for (let count = 0; count < 3; count += 1) await addElsewhere()
    system.advance(10_000)
    const { windows } = await reserve()
    become('fails')
    expect((await reserve()).windows).toEqual([{ key: 'a', count: 5, endsAt: windows[0]?.endsAt }])
    system.advance(50_000)
    expect(await reserve()).toMatchObject({ count: 1 })
  })

  it('continues from what it counted in an earlier outage, although the store missed it', async () => {
    const { reserve, system, become } = createFallback()
    become('fails')
    for (let count = 0; count < 5; count += 1) await reserve()
    become('responds')
    system.advance(5_000)
    expect(await reserve()).toMatchObject({ count: 1 })
    become('fails')
    expect(await reserve()).toMatchObject({ count: 7 })
  })

  it('takes attempts back here and in the store', async () => {
    const { limiter, reserve, system, become } = createFallback()
    await reserve()
    const { windows } = await reserve()
    await limiter.refund(windows, { now: system.now() })
    expect(await reserve()).toMatchObject({ count: 2 })
    become('fails')
    expect(await reserve()).toMatchObject({ count: 3 })
  })

  it('takes attempts back while the store fails', async () => {
    const { limiter, reserve, system, become } = createFallback()
    become('fails')
    await reserve()
    const { windows } = await reserve()
    await limiter.refund(windows, { now: system.now() })
    expect(await reserve()).toMatchObject({ count: 2 })
  })

  it('takes no attempt back in the store that the store did not count', async () => {
    const { limiter, reserve, addElsewhere, system, become } = createFallback()
    await addElsewhere()
    become('fails')
    const { windows } = await reserve()
    become('responds')
    system.advance(5_000)
    await limiter.refund(windows, { now: system.now() })
    expect(await reserve()).toMatchObject({ count: 2 })
  })

  it('knows the marks that it set, also during an outage', async () => {
    const { limiter, reserve, system, become } = createFallback()
    await limiter.refund([], { now: system.now(), mark: { key: 'known', endsAt: system.now() + 60_000 } })
    expect(await reserve('known')).toMatchObject({ isMarked: true })
    become('fails')
    expect(await reserve('known')).toMatchObject({ isMarked: true })
    expect(await reserve('another')).toMatchObject({ isMarked: false })
  })
})
