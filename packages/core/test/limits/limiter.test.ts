import { hourly, limiterCases } from '@jwt-auth/test-support/limiter-cases'
import { describe, expect, it } from 'vitest'
import { createMemoryLimiter } from '../../src/limits/limiter.js'
import type { LimitCount, Limiter } from '../../src/ports/limiter.js'

const now = Date.UTC(2026, 0, 1)
const endsAt = now + 3_600_000

const reserve = async (limiter: Limiter, count: LimitCount) => (await limiter.reserve([count], { now })).windows[0]

describe('createMemoryLimiter', () => {
  for (const { title, run } of limiterCases) {
    it(title, () => {
      const limiter = createMemoryLimiter()
      return run(limiter, limiter)
    })
  }

  it('holds the counts that were tried last, as many as its bound, among them one under attack', async () => {
    const limiter = createMemoryLimiter(8_000)
    for (let key = 0; key < 20_000; key += 1_000) {
      await limiter.reserve([hourly('attacked')], { now })
      await limiter.reserve(
        Array.from({ length: 1_000 }, (_, place) => hourly(String(key + place))),
        { now },
      )
    }
    expect(await reserve(limiter, hourly('attacked'))).toMatchObject({ count: 21 })
    expect(await reserve(limiter, hourly('12010'))).toMatchObject({ count: 2 })
    expect(await reserve(limiter, hourly('11990'))).toMatchObject({ count: 1 })
  })

  it('forgets counts that were taken back entirely before it forgets others', async () => {
    const limiter = createMemoryLimiter(8_000)
    await limiter.reserve([hourly('failed')], { now })
    for (let key = 0; key < 10_000; key += 1_000) {
      const counts = Array.from({ length: 1_000 }, (_, place) => hourly(String(key + place)))
      const { windows } = await limiter.reserve(counts, { now })
      await limiter.refund(windows, { now })
    }
    expect(await reserve(limiter, hourly('failed'))).toMatchObject({ count: 2 })
  })

  it('frees counts that have ended before it forgets others', async () => {
    const limiter = createMemoryLimiter(8)
    await limiter.reserve([hourly('failed')], { now })
    for (const minute of [0, 1, 2, 3]) {
      const ended = Array.from({ length: 5 }, (_, place) => ({ key: `${minute} ${place}`, durationSeconds: 60 }))
      await limiter.reserve(ended, { now: now + minute * 60_000 })
    }
    expect(await reserve(limiter, hourly('failed'))).toMatchObject({ count: 2 })
  })

  it('raises counts to those of another store, and never lowers them', async () => {
    const limiter = createMemoryLimiter()
    limiter.raise([{ key: 'a', count: 4, endsAt }])
    limiter.raise([{ key: 'a', count: 2, endsAt: endsAt - 1 }])
    expect(await reserve(limiter, hourly('a'))).toEqual({ key: 'a', count: 5, endsAt: endsAt - 1 })
  })
})
