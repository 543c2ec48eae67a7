import type { Limiter } from '@jwt-auth/core'
import type { LimitCount, LimitWindow } from '@jwt-auth/core/adapter'
import { expect } from 'vitest'

/** One thing that every limiter must do. */
export interface LimiterCase {
  readonly title: string
  /** Runs with the limiters of two instances that share a store. */
  readonly run: (one: Limiter, other: Limiter) => Promise<void>
}

/** A count with windows of an hour. */
export const hourly = (key: string): LimitCount => ({ key, durationSeconds: 3_600 })

const now = Date.now()

/** Adds attempts to one count, one after the other, and returns the last window. */
const reserveOne = async (limiter: Limiter, count: LimitCount, at = now): Promise<LimitWindow> => {
  const { windows } = await limiter.reserve([count], { now: at })
  return windows[0] ?? expect.unreachable('no window')
}

const isMarked = async (limiter: Limiter, mark: string, at = now): Promise<boolean> =>
  (await limiter.reserve([hourly('looks-up')], { now: at, mark })).isMarked

/** What every limiter must do. Each case uses keys that no other case uses. */
export const limiterCases: readonly LimiterCase[] = [
  {
    title: 'numbers concurrent attempts of two instances without a gap and without a repetition',
    run: async (one, other) => {
      const calls = Array.from({ length: 20 }, () => [reserveOne(one, hourly('ann')), reserveOne(other, hourly('ann'))])
      const numbers = (await Promise.all(calls.flat())).map(({ count }) => count)
      expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, place) => place + 1))
    },
  },
  {
    title: 'adds an attempt to each of several counts, also while others are added in another order',
    run: async (one, other) => {
      const keys = ['bea', 'bob', 'ben', 'bix', 'bud'].map(hourly)
      await Promise.all(
        Array.from({ length: 20 }, () => [
          one.reserve(keys, { now, mark: 'nobody' }),
          other.reserve(keys.toReversed(), { now, mark: 'nobody' }),
        ]).flat(),
      )
      expect(await one.reserve(keys, { now })).toEqual({
        windows: keys.map(({ key }) => ({ key, count: 41, endsAt: now + 3_600_000 })),
        isMarked: false,
      })
    },
  },
  {
    title: 'never counts below zero, however often an attempt is taken back',
    run: async (one, other) => {
      const window = await reserveOne(one, hourly('zoe'))
      for (const limiter of [one, other, other]) await limiter.refund([window], { now })
      expect((await reserveOne(one, hourly('zoe'))).count).toBe(1)
    },
  },
  {
    title: 'ends a window when its last attempt is taken back: its end would reveal when somebody logged in',
    run: async (one, other) => {
      await other.refund([await reserveOne(one, hourly('ida'))], { now })
      expect(await reserveOne(one, hourly('ida'), now + 1)).toMatchObject({ count: 1, endsAt: now + 3_600_001 })
    },
  },
  {
    title: 'starts a window with the first attempt, and the next one when it has ended',
    run: async (one, other) => {
      const count = hourly('dora')
      const endsAt = now + 3_600_000
      expect(await reserveOne(one, count)).toEqual({ key: 'dora', count: 1, endsAt })
      expect(await reserveOne(other, count, endsAt - 1)).toEqual({ key: 'dora', count: 2, endsAt })
      expect(await reserveOne(one, count, endsAt)).toEqual({ key: 'dora', count: 1, endsAt: endsAt + 3_600_000 })
    },
  },
  {
    title: 'takes attempts back from the window that they were added to, and from no later one',
    run: async (one, other) => {
      const first = await reserveOne(one, hourly('eve'))
      await reserveOne(one, hourly('eve'))
      await other.refund([first], { now })
      expect(await reserveOne(one, hourly('eve'))).toMatchObject({ count: 2 })
      await reserveOne(one, hourly('eve'), first.endsAt)
      await other.refund([first], { now: first.endsAt })
      expect(await reserveOne(one, hourly('eve'), first.endsAt)).toMatchObject({ count: 2 })
    },
  },
  {
    title: 'finds a mark until it ends, and never shortens it',
    run: async (one, other) => {
      expect(await isMarked(one, 'fay')).toBe(false)
      await one.refund([], { now, mark: { key: 'fay', endsAt: now + 60_000 } })
      await one.refund([], { now, mark: { key: 'fay', endsAt: now + 50_000 } })
      expect(await isMarked(other, 'fay', now + 59_999)).toBe(true)
      expect(await isMarked(other, 'fay', now + 60_000)).toBe(false)
      await one.refund([], { now, mark: { key: 'fay', endsAt: now + 70_000 } })
      expect(await isMarked(other, 'fay', now + 60_000)).toBe(true)
    },
  },
  {
    title: 'keeps keys apart that differ in case',
    run: async (one) => {
      await reserveOne(one, hourly('Gus'))
      expect(await reserveOne(one, hourly('gus'))).toMatchObject({ count: 1 })
      await one.refund([], { now, mark: { key: 'Hal', endsAt: now + 60_000 } })
      expect(await isMarked(one, 'hal')).toBe(false)
    },
  },
]
