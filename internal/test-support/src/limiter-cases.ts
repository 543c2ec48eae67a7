import type { Limiter, LimiterOptions } from '@jwt-auth/core'
import { expect } from 'vitest'

/** Creates the limiters of one instance. */
type CreateLimiter = (options: LimiterOptions) => Limiter

/** One thing that every store of counts must do. */
export interface LimiterCase {
  readonly title: string
  /** Runs with the limiters of two instances that share a store. */
  readonly run: (one: CreateLimiter, other: CreateLimiter) => Promise<void>
}

/** The limit of the cases. */
export const tenAnHour: LimiterOptions = { keyPrefix: 'jwt_auth_test', points: 10, duration: 3_600 }

/** Matches the state of a key from which this many points were taken. */
export const limiterState = (consumedPoints: number) =>
  expect.objectContaining({ consumedPoints, msBeforeNext: expect.any(Number) })

/** What every store of counts must do. Each case uses keys that no other case uses. */
export const limiterCases: readonly LimiterCase[] = [
  {
    title: 'grants no more points than the limit to concurrent calls of two instances',
    run: async (one, other) => {
      const [first, second] = [one(tenAnHour), other(tenAnHour)]
      const calls = Array.from({ length: 20 }, () => [first.consume('ann'), second.consume('ann')]).flat()
      const outcomes = await Promise.allSettled(calls)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
      const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason : []))
      expect(refusals.filter((refusal) => refusal instanceof Error)).toEqual([])
      expect(Math.max(...refusals.map(({ consumedPoints }) => consumedPoints))).toBe(40)
    },
  },
  {
    title: 'gives points back and takes points beyond the limit',
    run: async (create) => {
      const limiter = create(tenAnHour)
      await limiter.consume('bob', 4)
      expect(await limiter.reward('bob', 3)).toEqual(limiterState(1))
      expect(await limiter.penalty('bob', 12)).toEqual(limiterState(13))
      await expect(limiter.consume('bob')).rejects.toEqual(limiterState(14))
    },
  },
  {
    title: 'returns null for an unknown key and a state for a known one',
    run: async (create) => {
      const limiter = create(tenAnHour)
      expect(await limiter.get('nobody')).toBeNull()
      await limiter.set('carol', 1, 60)
      expect(await limiter.get('carol')).toEqual(limiterState(1))
    },
  },
  {
    title: 'starts the time of a key with the first call and does not extend it',
    run: async (create) => {
      const limiter = create(tenAnHour)
      const first = await limiter.consume('dora')
      const second = await limiter.consume('dora')
      expect(first.msBeforeNext).toBeGreaterThan(3_590_000)
      expect(second.msBeforeNext).toBeLessThanOrEqual(first.msBeforeNext)
    },
  },
  {
    title: 'keeps keys apart that differ in case, and limits that differ in prefix',
    run: async (create) => {
      const limiter = create(tenAnHour)
      await limiter.set('Eve', 1, 60)
      expect(await limiter.get('eve')).toBeNull()
      expect(await create({ ...tenAnHour, keyPrefix: 'jwt_auth_other' }).get('Eve')).toBeNull()
    },
  },
]
