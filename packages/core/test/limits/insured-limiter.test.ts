import { nextTurn } from '@jwt-auth/test-support/next-turn'
import { createTestSystem } from '@jwt-auth/test-support/test-system'
import { describe, expect, it } from 'vitest'
import type { AuthError } from '../../src/errors/auth-error.js'
import { createInsuredLimiter, createStoreOutages } from '../../src/limits/insured-limiter.js'
import type { Limiter } from '../../src/limits/limiter.js'
import { createMemoryLimiter } from '../../src/limits/limiter.js'
import { createDeadline } from '../../src/system.js'

const options = { keyPrefix: 'test', points: 2, duration: 60 }
const failure = new Error('connect ECONNREFUSED limits.internal:6379')

/** A limiter over a store that, as the test says, responds, is late, fails, or never responds. */
const createStore = (counting: Limiter) => {
  let state: 'responds' | 'is late' | 'fails' | 'is silent' = 'responds'
  let callCount = 0
  let arrive = (): void => {}
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const respond = async <T>(call: () => Promise<T>): Promise<T> => {
    callCount += 1
    switch (state) {
      case 'responds':
        return call()
      case 'is late':
        return call().finally(() => arrival)
      case 'fails':
        throw failure
      case 'is silent':
        return new Promise<T>(() => {})
    }
  }
  const store: Limiter = {
    consume: (key) => respond(() => counting.consume(key)),
    reward: (key) => respond(() => counting.reward(key)),
    penalty: (key, points) => respond(() => counting.penalty(key, points)),
    get: (key) => respond(() => counting.get(key)),
    set: (key, points, seconds) => respond(() => counting.set(key, points, seconds)),
  }
  return {
    store,
    become: (next: typeof state) => {
      state = next
    },
    callCount: () => callCount,
    /** Lets the late results arrive. */
    arrive: () => arrive(),
  }
}

const createInsured = () => {
  const system = createTestSystem()
  const reports: AuthError[] = []
  const { store, become, callCount, arrive } = createStore(createMemoryLimiter(options, system))
  const limiter = createInsuredLimiter(store, {
    limiter: createMemoryLimiter(options, system),
    missed: createMemoryLimiter(options, system),
    runInTime: createDeadline(1_000, system.startTimer),
    outages: createStoreOutages(system.now, (error) => reports.push(error)),
  })
  return { limiter, system, reports, become, callCount, arrive }
}

const isRefused = (limiter: Limiter): Promise<boolean> =>
  limiter.consume('a').then(
    () => false,
    () => true,
  )

describe('createInsuredLimiter', () => {
  it('refuses what the store refuses, and reports nothing', async () => {
    const { limiter, reports } = createInsured()
    expect([await isRefused(limiter), await isRefused(limiter), await isRefused(limiter)]).toEqual([false, false, true])
    expect(reports).toEqual([])
  })

  it('counts in memory while the store fails', async () => {
    const { limiter, become } = createInsured()
    become('fails')
    expect([await isRefused(limiter), await isRefused(limiter), await isRefused(limiter)]).toEqual([false, false, true])
  })

  it('counts in memory when the store does not respond before the deadline', async () => {
    const { limiter, system, become, reports } = createInsured()
    become('is silent')
    const refused = isRefused(limiter)
    await nextTurn()
    expect(system.timers()).toEqual([1_000])
    system.fireTimers()
    expect(await refused).toBe(false)
    expect(reports).toHaveLength(1)
  })

  it('calls a store that failed again after five seconds, and reports the outage once', async () => {
    const { limiter, system, become, callCount, reports } = createInsured()
    become('fails')
    await isRefused(limiter)
    become('responds')
    system.advance(4_999)
    await isRefused(limiter)
    expect(callCount()).toBe(1)
    expect(reports.map(({ code, cause }) => [code, cause])).toEqual([['jwt_auth_unavailable', failure]])

    system.advance(1)
    await limiter.get('another')
    expect(callCount()).toBe(2)
  })

  it('reports once for calls that fail together', async () => {
    const { limiter, become, reports } = createInsured()
    become('fails')
    await Promise.all(Array.from({ length: 20 }, () => isRefused(limiter)))
    expect(reports).toHaveLength(1)
  })

  it('continues from the counts that the store returned last', async () => {
    const { limiter, become } = createInsured()
    await isRefused(limiter)
    become('fails')
    expect([await isRefused(limiter), await isRefused(limiter)]).toEqual([false, true])
  })

  it('adds to the store what it counted during an outage', async () => {
    const { limiter, system, become } = createInsured()
    become('fails')
    expect(await isRefused(limiter)).toBe(false)
    become('responds')
    system.advance(5_000)
    expect([await isRefused(limiter), await isRefused(limiter)]).toEqual([false, true])
    become('fails')
    expect(await isRefused(limiter)).toBe(true)
  })

  it('adds its counts after the next outage if the store fails while they are added', async () => {
    const { limiter, system, become } = createInsured()
    become('fails')
    await isRefused(limiter)
    system.advance(5_000)
    await isRefused(limiter)
    become('responds')
    system.advance(5_000)
    expect(await isRefused(limiter)).toBe(true)
  })

  it('ignores a late result of the store that arrives during the outage', async () => {
    const { limiter, become, arrive } = createInsured()
    become('is late')
    const late = isRefused(limiter)
    await nextTurn()
    become('fails')
    expect([await isRefused(limiter), await isRefused(limiter)]).toEqual([false, false])
    arrive()
    await late
    expect(await isRefused(limiter)).toBe(true)
  })

  it('adds nothing to the store for points that were given back during an outage', async () => {
    const { limiter, system, become } = createInsured()
    become('fails')
    await limiter.consume('a')
    await limiter.reward('a')
    become('responds')
    system.advance(5_000)
    expect([await isRefused(limiter), await isRefused(limiter), await isRefused(limiter)]).toEqual([false, false, true])
  })

  it('adds its counts once when calls follow concurrently', async () => {
    const { limiter, system, become } = createInsured()
    become('fails')
    await limiter.consume('a')
    become('responds')
    system.advance(5_000)
    const refused = await Promise.all([isRefused(limiter), isRefused(limiter)])
    expect(refused.toSorted()).toEqual([false, true])
    expect(await limiter.get('a')).toMatchObject({ consumedPoints: 3 })
  })

  it('refuses the keys that the store refused until their window ends, also during an outage', async () => {
    const { limiter, system, become } = createInsured()
    for (let count = 0; count < 3; count += 1) await isRefused(limiter)
    become('fails')
    system.advance(59_999)
    expect(await isRefused(limiter)).toBe(true)
    system.advance(1)
    expect(await isRefused(limiter)).toBe(false)
  })

  it('resolves to the states of the store', async () => {
    const { limiter } = createInsured()
    expect(await limiter.get('a')).toBeNull()
    await limiter.consume('a')
    await limiter.reward('a')
    expect(await limiter.penalty('a')).toMatchObject({ consumedPoints: 1 })
  })

  it('knows what was set, also during an outage', async () => {
    const { limiter, become } = createInsured()
    await limiter.set('a', 1, 60)
    become('fails')
    expect(await limiter.get('a')).toMatchObject({ consumedPoints: 1 })
  })
})
