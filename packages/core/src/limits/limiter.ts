import { LRUCache } from 'lru-cache'
import type { EpochMs, System } from '../system.js'

/** How often something is allowed within a window, which starts with the first attempt. */
export interface Limit {
  /** How many attempts are allowed within one window, 1 to 1,000,000. */
  readonly points: number
  /** The length of the window, in seconds, 1 to 31,536,000. */
  readonly durationSeconds: number
}

/** The state of a key, in the terms of rate-limiter-flexible. */
export interface LimiterState {
  /** The attempts counted in the present window. */
  readonly consumedPoints: number
  /** The time until the window ends, in milliseconds. */
  readonly msBeforeNext: number
}

/**
 * The port to a counter. The limiters of rate-limiter-flexible implement it (`RateLimiterRedis`, `RateLimiterPostgres`, …). Each
 * call is atomic: however many callers consume concurrently, no more than the limit succeed.
 */
export interface Limiter {
  /**
   * Takes points, one by default, and counts them in any case. Rejects with the state, which is not an `Error`, when the limit is
   * exceeded. Rejects with an `Error` when counting fails.
   */
  consume(key: string, points?: number): Promise<LimiterState>
  /** Gives points back, one by default. */
  reward(key: string, points?: number): Promise<LimiterState>
  /** Takes points, one by default, also beyond the limit. */
  penalty(key: string, points?: number): Promise<LimiterState>
  /** Resolves to `null` for a key without a window. */
  get(key: string): Promise<LimiterState | null>
  /** Starts a window of `secDuration` seconds in which `points` are taken. */
  set(key: string, points: number, secDuration: number): Promise<LimiterState>
}

/**
 * The options of one limiter, in the terms of rate-limiter-flexible, so that you can spread them into one of its constructors.
 */
export interface LimiterOptions {
  /** Separates the keys of one limit from those of others. */
  readonly keyPrefix: string
  /** How many attempts are allowed within one window. */
  readonly points: number
  /** The length of the window, in seconds. */
  readonly duration: number
}

/** Creates the limiter of one limit. */
export type CreateLimiter = (options: LimiterOptions) => Limiter

/** Returns whether a limiter rejected because the limit is exceeded, not because counting failed. */
export const isExhausted = (thrown: unknown): thrown is LimiterState =>
  typeof thrown === 'object' &&
  thrown !== null &&
  !(thrown instanceof Error) &&
  'msBeforeNext' in thrown &&
  typeof thrown.msBeforeNext === 'number'

interface Window {
  readonly consumedPoints: number
  readonly endsAt: EpochMs
}

// About 10 MB.
const mostKeys = 50_000

/**
 * Creates a limiter in the memory of one process. Counts like `RateLimiterMemory` of rate-limiter-flexible, but holds at most
 * 50,000 keys, has no timers, and has an injected clock (docs/design/rate-limits.md). Beyond the bound the key that was tried least
 * recently is dropped: a key under attack is tried all the time and stays.
 */
export const createMemoryLimiter = (
  { points: limit, duration }: LimiterOptions,
  { now }: Pick<System, 'now'>,
): Limiter => {
  // `max` would allocate the whole bound immediately; `maxSize` allocates as keys come.
  const windows = new LRUCache<string, Window>({ maxSize: mostKeys, sizeCalculation: () => 1 })

  const find = (key: string): Window | undefined => {
    const window = windows.get(key)
    return window !== undefined && now() < window.endsAt ? window : undefined
  }

  const toState = ({ consumedPoints, endsAt }: Window): LimiterState => ({
    consumedPoints,
    msBeforeNext: endsAt - now(),
  })

  // A key whose points were all given back is deleted: many attempts that the hashing queue refused must not displace failed
  // attempts.
  const write = (key: string, window: Window): LimiterState => {
    if (window.consumedPoints === 0) windows.delete(key)
    else windows.set(key, window)
    return toState(window)
  }

  const add = (key: string, points: number): LimiterState => {
    const { consumedPoints, endsAt } = find(key) ?? { consumedPoints: 0, endsAt: now() + duration * 1_000 }
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
    set: async (key, points, secDuration) =>
      write(key, { consumedPoints: points, endsAt: now() + secDuration * 1_000 }),
  }
}
