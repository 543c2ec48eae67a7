import { createTestSystem } from '@jwt-auth/test-support/test-system'
import fc from 'fast-check'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import { createMemoryLimiter, isExhausted, type Limiter } from '../../src/limits/limiter.js'

const options = { keyPrefix: 'test', points: 3, duration: 60 }

/** Returns the result or the rejection of a call without the time, which the library reads itself. */
const pointsAfter = async (call: Promise<{ consumedPoints: number } | null>): Promise<unknown> => {
  try {
    // The library keeps a key at zero. Ours deletes it.
    return (await call)?.consumedPoints ?? 0
  } catch (thrown) {
    if (isExhausted(thrown)) return { refusedAt: thrown.consumedPoints }
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

describe('createMemoryLimiter', () => {
  it('counts like RateLimiterMemory of rate-limiter-flexible, call for call', async () => {
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

  it('refuses until the window ends that started with the first attempt, and returns the time to wait', async () => {
    const system = createTestSystem()
    const limiter = createMemoryLimiter(options, system)
    for (let tries = 0; tries < 3; tries += 1) await limiter.consume('a')
    system.advance(59_999)
    await expect(limiter.consume('a')).rejects.toEqual({ consumedPoints: 4, msBeforeNext: 1 })
    system.advance(1)
    expect(await limiter.consume('a')).toEqual({ consumedPoints: 1, msBeforeNext: 60_000 })
  })

  it('deletes a key whose points were all given back', async () => {
    const limiter = createMemoryLimiter(options, createTestSystem())
    await limiter.consume('a')
    await limiter.consume('a')
    await limiter.reward('a')
    expect(await limiter.get('a')).toMatchObject({ consumedPoints: 1 })
    await limiter.reward('a')
    expect(await limiter.get('a')).toBeNull()
  })

  it('holds the 50,000 keys that were tried last, among them a key under attack', async () => {
    const limiter = createMemoryLimiter(options, createTestSystem())
    for (let key = 0; key < 60_000; key += 1) {
      if (key % 1_000 === 0) await limiter.consume('attacked').catch(() => {})
      await limiter.consume(String(key))
    }
    expect(await pointsAfter(limiter.consume('attacked'))).toEqual({ refusedAt: 61 })
    expect(await limiter.get('10000')).toBeNull()
    expect(await limiter.get('10001')).toMatchObject({ consumedPoints: 1 })
  })
})

describe('isExhausted', () => {
  it.each([
    ['a state', { msBeforeNext: 1_000, consumedPoints: 11, remainingPoints: 0 }],
    ['a state with nothing but the time to wait', { msBeforeNext: 0 }],
  ])('returns true for %s', (_, thrown) => {
    expect(isExhausted(thrown)).toBe(true)
  })

  it.each([
    ['an error', new Error('connection lost')],
    ['an error with a time', Object.assign(new Error('timeout'), { msBeforeNext: 1_000 })],
    ['undefined', undefined],
    ['null', null],
    ['text', 'msBeforeNext'],
    ['a function', Object.assign(() => {}, { msBeforeNext: 1_000 })],
    ['an object without a time', {}],
    ['an object with a time that is not a number', { msBeforeNext: '1000' }],
  ])('returns false for %s', (_, thrown) => {
    expect(isExhausted(thrown)).toBe(false)
  })
})
