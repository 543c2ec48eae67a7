import { LRUCache } from 'lru-cache'
import type { EpochMs, System } from '../system.js'
import type { Limiter, LimiterOptions, LimiterState } from './limiter.js'

/** A limiter in the memory of one process. */
export interface MemoryLimiter extends Limiter {
  /** How many keys it holds. */
  readonly size: () => number
}

interface Window {
  readonly consumedPoints: number
  readonly endsAt: EpochMs
}

/** The most keys that one limit holds in memory: about 10 MB. */
export const mostKeysInMemory = 50_000

/**
 * Counts as rate-limiter-flexible's `RateLimiterMemory` does, but never holds more than so many keys, has no timer for each
 * of them, and takes its time from the outside (docs/decisions/0028). Beyond the bound the key that was tried least
 * recently is forgotten: one under attack is tried all the time and stays.
 */
export const createMemoryLimiter = (
  { points: limit, duration }: LimiterOptions,
  { now, mostKeys = mostKeysInMemory }: { readonly now: System['now']; readonly mostKeys?: number },
): MemoryLimiter => {
  // `max` would set all of the room aside at once; `maxSize` takes it as keys come.
  const windows = new LRUCache<string, Window>({ maxSize: mostKeys, sizeCalculation: () => 1 })

  const find = (key: string): Window | undefined => {
    const window = windows.get(key)
    return window !== undefined && now() < window.endsAt ? window : undefined
  }

  // What was given back leaves nothing behind: a flood that is refused for want of hashes must not push out what counts.
  const write = (key: string, window: Window): LimiterState => {
    if (window.consumedPoints === 0) windows.delete(key)
    else windows.set(key, window)
    return toState(window)
  }

  const toState = ({ consumedPoints, endsAt }: Window): LimiterState => ({
    consumedPoints,
    msBeforeNext: endsAt - now(),
  })

  const add = (key: string, points: number): LimiterState => {
    const { consumedPoints, endsAt } = find(key) ?? { consumedPoints: 0, endsAt: now() + duration * 1000 }
    return write(key, { consumedPoints: consumedPoints + points, endsAt })
  }

  return {
    consume: async (key, points = 1) => {
      const state = add(key, points)
      return state.consumedPoints > limit ? Promise.reject(state) : state
    },
    reward: async (key, points = 1) => add(key, -points),
    penalty: async (key, points = 1) => add(key, points),
    get: async (key) => {
      const window = find(key)
      return window === undefined ? null : toState(window)
    },
    set: async (key, consumedPoints, secDuration) => write(key, { consumedPoints, endsAt: now() + secDuration * 1000 }),
    size: () => windows.size,
  }
}
