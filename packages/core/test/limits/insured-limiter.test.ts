import { describe, expect, it } from 'vitest'
import type { AuthError } from '../../src/errors/auth-error.js'
import { createInsuredLimiter, createStoreOutages } from '../../src/limits/insured-limiter.js'
import type { Limiter } from '../../src/limits/limiter.js'
import { createMemoryLimiter } from '../../src/limits/memory-limiter.js'
import { createDeadline } from '../../src/ports/deadline.js'
import { nextTurn } from '../support/next-turn.js'
import { createTestSystem } from '../support/test-system.js'

const options = { keyPrefix: 'test', points: 2, duration: 60 }
const failure = new Error('connect ECONNREFUSED limits.internal:6379')

/** A limiter over a store that does what the test says: it answers, is late, fails, or keeps silent. */
const createStore = (counting: Limiter) => {
  let mood: 'answers' | 'is late' | 'fails' | 'keeps silent' = 'answers'
  let asked = 0
  let arrive = (): void => {}
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const answer = async <T>(call: () => Promise<T>): Promise<T> => {
    asked += 1
    switch (mood) {
      case 'answers':
        return call()
      case 'is late':
        return call().finally(() => arrival)
      case 'fails':
        throw failure
      case 'keeps silent':
        return new Promise<T>(() => {})
    }
  }
  const store: Limiter = {
    consume: (key) => answer(() => counting.consume(key)),
    reward: (key) => answer(() => counting.reward(key)),
    penalty: (key, points) => answer(() => counting.penalty(key, points)),
    get: (key) => answer(() => counting.get(key)),
    set: (key, points, seconds) => answer(() => counting.set(key, points, seconds)),
  }
  return {
    store,
    become: (next: typeof mood) => {
      mood = next
    },
    asked: () => asked,
    /** Lets the late results arrive. */
    arrive: () => arrive(),
  }
}

const createInsured = () => {
  const system = createTestSystem()
  const reports: AuthError[] = []
  const { store, become, asked, arrive } = createStore(createMemoryLimiter(options, system))
  const limiter = createInsuredLimiter(store, {
    limiter: createMemoryLimiter(options, system),
    missed: createMemoryLimiter(options, system),
    runInTime: createDeadline(1_000, system.startTimer),
    outages: createStoreOutages(system.now, (error) => reports.push(error)),
  })
  return { limiter, system, reports, become, asked, arrive }
}

const isRefused = (limiter: Limiter): Promise<boolean> =>
  limiter.consume('a').then(
    () => false,
    () => true,
  )

describe('a limiter over a store', () => {
  it('refuses what its store refuses, and reports nothing', async () => {
    const { limiter, reports } = createInsured()
    expect([await isRefused(limiter), await isRefused(limiter), await isRefused(limiter)]).toEqual([false, false, true])
    expect(reports).toEqual([])
  })

  it('counts by itself while the store fails: neither lets everything through nor nothing', async () => {
    const { limiter, become } = createInsured()
    become('fails')
    expect([await isRefused(limiter), await isRefused(limiter), await isRefused(limiter)]).toEqual([false, false, true])
  })

  it('counts by itself when the store keeps silent until the deadline', async () => {
    const { limiter, system, become, reports } = createInsured()
    become('keeps silent')
    const asking = isRefused(limiter)
    await nextTurn()
    expect(system.timers()).toEqual([1_000])
    system.fireTimers()
    expect(await asking).toBe(false)
    expect(reports).toHaveLength(1)
  })

  it('leaves a store that failed alone for five seconds, and reports once for it', async () => {
    const { limiter, system, become, asked, reports } = createInsured()
    become('fails')
    await isRefused(limiter)
    become('answers')
    system.advance(4_999)
    await isRefused(limiter)
    expect(asked()).toBe(1)
    expect(reports.map(({ code, cause }) => [code, cause])).toEqual([['jwt_auth_unavailable', failure]])

    system.advance(1)
    await limiter.get('another')
    expect(asked()).toBe(2)
  })

  it('reports once for calls that fail together', async () => {
    const { limiter, become, reports } = createInsured()
    become('fails')
    await Promise.all(Array.from({ length: 20 }, () => isRefused(limiter)))
    expect(reports).toHaveLength(1)
  })

  it('continues from the counts that its store returned last: an outage gives no attempts back', async () => {
    const { limiter, become } = createInsured()
    await isRefused(limiter)
    become('fails')
    expect([await isRefused(limiter), await isRefused(limiter)]).toEqual([false, true])
  })

  it('adds to the store what it counted during an outage: the next outage gives no attempts either', async () => {
    const { limiter, system, become } = createInsured()
    become('fails')
    expect(await isRefused(limiter)).toBe(false)
    become('answers')
    system.advance(5_000)
    expect([await isRefused(limiter), await isRefused(limiter)]).toEqual([false, true])
    become('fails')
    expect(await isRefused(limiter)).toBe(true)
  })

  it('adds what it counted after the next outage when the store fails while the points are added', async () => {
    const { limiter, system, become } = createInsured()
    become('fails')
    await isRefused(limiter)
    system.advance(5_000)
    await isRefused(limiter)
    become('answers')
    system.advance(5_000)
    expect(await isRefused(limiter)).toBe(true)
  })

  it('keeps its own counts when a late result of the store arrives during the outage', async () => {
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

  it('adds nothing to the store for what was given back during an outage', async () => {
    const { limiter, system, become } = createInsured()
    become('fails')
    await limiter.consume('a')
    await limiter.reward('a')
    become('answers')
    system.advance(5_000)
    expect([await isRefused(limiter), await isRefused(limiter), await isRefused(limiter)]).toEqual([false, false, true])
  })

  it('adds what it counted once, although many calls follow together', async () => {
    const { limiter, system, become } = createInsured()
    become('fails')
    await limiter.consume('a')
    become('answers')
    system.advance(5_000)
    const refused = await Promise.all([isRefused(limiter), isRefused(limiter)])
    expect(refused.toSorted()).toEqual([false, true])
    expect(await limiter.get('a')).toMatchObject({ consumedPoints: 3 })
  })

  it('still refuses the keys that the store refused, until the end of their window, when the store goes away', async () => {
    const { limiter, system, become } = createInsured()
    for (let count = 0; count < 3; count += 1) await isRefused(limiter)
    become('fails')
    system.advance(59_999)
    expect(await isRefused(limiter)).toBe(true)
    system.advance(1)
    expect(await isRefused(limiter)).toBe(false)
  })

  it('passes on that a key has no window, and points that are taken back or added', async () => {
    const { limiter } = createInsured()
    expect(await limiter.get('a')).toBeNull()
    await limiter.consume('a')
    await limiter.reward('a')
    expect(await limiter.penalty('a')).toMatchObject({ consumedPoints: 1 })
  })

  it('still knows what was set when the store goes away', async () => {
    const { limiter, become } = createInsured()
    await limiter.set('a', 1, 60)
    become('fails')
    expect(await limiter.get('a')).toMatchObject({ consumedPoints: 1 })
  })
})
