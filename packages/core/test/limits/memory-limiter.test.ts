import fc from 'fast-check'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import { createLimitKeys } from '../../src/limits/limit-key.js'
import { isRefusal, type Limiter } from '../../src/limits/limiter.js'
import { createMemoryLimiter, mostKeysInMemory } from '../../src/limits/memory-limiter.js'
import { toNetwork } from '../../src/network.js'
import { addressOf } from '../support/login-attempts.js'
import { createTestSystem } from '../support/test-system.js'

const options = { keyPrefix: 'test', points: 3, duration: 60 }

/** What a call answered or was rejected with, but for the time, which the library reads itself. */
const pointsAfter = async (call: Promise<{ consumedPoints: number } | null>): Promise<unknown> => {
  try {
    // The library keeps a key at zero; ours forgets it.
    return (await call)?.consumedPoints ?? 0
  } catch (thrown) {
    if (isRefusal(thrown)) return { refusedAt: thrown.consumedPoints }
    throw thrown
  }
}

const calls: Readonly<Record<string, (limiter: Limiter, key: string) => Promise<{ consumedPoints: number } | null>>> = {
  consume: (limiter, key) => limiter.consume(key),
  reward: (limiter, key) => limiter.reward(key),
  penalty: (limiter, key) => limiter.penalty(key),
  get: (limiter, key) => limiter.get(key),
  set: (limiter, key) => limiter.set(key, 2, 60),
}

describe('the limiter in memory', () => {
  it('counts as the one of rate-limiter-flexible, call for call', async () => {
    const oneCall = fc.tuple(fc.constantFrom(...Object.keys(calls)), fc.constantFrom('a', 'b'))
    await fc.assert(
      fc.asyncProperty(fc.array(oneCall, { maxLength: 20 }), async (sequence) => {
        const own = createMemoryLimiter(options, createTestSystem())
        const theirs = new RateLimiterMemory(options)
        for (const [name, key] of sequence) {
          const call = calls[name]
          if (call === undefined) throw new Error(name)
          expect(await pointsAfter(call(own, key))).toEqual(await pointsAfter(call(theirs, key)))
        }
      }),
    )
  })

  it('refuses until the window that began with the first try is over, and says how long that is', async () => {
    const system = createTestSystem()
    const limiter = createMemoryLimiter(options, system)
    for (let tries = 0; tries < 3; tries += 1) await limiter.consume('a')
    system.advance(59_999)
    await expect(limiter.consume('a')).rejects.toEqual({ consumedPoints: 4, msBeforeNext: 1 })
    system.advance(1)
    expect(await limiter.consume('a')).toEqual({ consumedPoints: 1, msBeforeNext: 60_000 })
  })

  it('holds nothing of a key whose points were all given back', async () => {
    const limiter = createMemoryLimiter(options, createTestSystem())
    await limiter.consume('a')
    await limiter.consume('a')
    await limiter.reward('a')
    expect(limiter.size()).toBe(1)
    await limiter.reward('a')
    expect(limiter.size()).toBe(0)
  })

  it('holds no more keys than its bound when 100,000 addresses try', async () => {
    const limiter = createMemoryLimiter(options, createTestSystem())
    for (let number = 0; number < 100_000; number += 1) {
      await limiter.consume(createLimitKeys(Buffer.alloc(32)).fold(toNetwork(addressOf(number)))).catch(() => {})
    }
    expect(limiter.size()).toBe(mostKeysInMemory)
  })

  it('forgets the key that was tried least recently: one that is being tried stays', async () => {
    const limiter = createMemoryLimiter(options, { ...createTestSystem(), mostKeys: 10 })
    for (let key = 0; key < 100; key += 1) {
      await limiter.consume('attacked').catch(() => {})
      await limiter.consume(String(key))
    }
    expect(limiter.size()).toBe(10)
    expect(await pointsAfter(limiter.consume('attacked'))).toEqual({ refusedAt: 101 })
    expect(await limiter.get('0')).toBeNull()
  })
})
