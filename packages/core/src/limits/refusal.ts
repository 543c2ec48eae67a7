import { LRUCache } from 'lru-cache'
import type { System } from '../system.js'
import type { LimiterState } from './limiter.js'
import type { RateLimits } from './rate-limit-policy.js'

/** A limit that was reached, and by whom. */
export interface Refusal {
  readonly limit: keyof RateLimits
  /** An IPv4 address, a /64, /56 or /48 of IPv6, or `unknown`. Never a user name: people type passwords there. */
  readonly network: string
}

/** Hears of everything that a limit refuses. */
export type OnLimitRefused = (state: LimiterState, key: string) => void

// Beyond so many at a time, the one that was refused least recently may be told of again.
const mostTold = 1_000

/** Makes the function that tells of the first refusal of each window: a flood must not become a flood of events. */
export const createRefusalListener = (
  now: System['now'],
  onRefused: (refusal: Refusal) => void,
): ((refusal: Refusal) => OnLimitRefused) => {
  const quietUntil = new LRUCache<string, number>({ max: mostTold })
  return (refusal) =>
    ({ msBeforeNext }, key) => {
      const refused = `${refusal.limit} ${key}`
      if (now() < (quietUntil.get(refused) ?? 0)) return
      quietUntil.set(refused, now() + msBeforeNext)
      onRefused(refusal)
    }
}
