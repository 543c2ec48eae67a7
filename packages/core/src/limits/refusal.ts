import { LRUCache } from 'lru-cache'
import type { System } from '../system.js'
import type { LimiterState } from './limiter.js'
import type { LimitExceeded } from './rate-limits.js'

/** Hears of everything that a limit refuses. */
export type OnLimitRefused = (state: LimiterState, key: string) => void

// Beyond so many at a time, the one that was refused least recently may be told of again.
const mostTold = 1_000

/** Makes the function that tells of the first refusal of each window: a flood must not become a flood of events. */
export const createRefusalListener = (
  now: System['now'],
  onRefused: (refusal: LimitExceeded) => void,
): ((refusal: LimitExceeded) => OnLimitRefused) => {
  const quietUntil = new LRUCache<string, number>({ max: mostTold })
  return (refusal) =>
    ({ msBeforeNext }, key) => {
      const refused = `${refusal.limit} ${key}`
      if (now() < (quietUntil.get(refused) ?? 0)) return
      quietUntil.set(refused, now() + msBeforeNext)
      onRefused(refusal)
    }
}
