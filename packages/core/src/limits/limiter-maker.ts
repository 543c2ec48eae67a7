import type { AuthError } from '../errors/auth-error.js'
import type { RunInTime } from '../ports/deadline.js'
import type { System } from '../system.js'
import { createInsuredLimiter, createStoreOutages } from './insured-limiter.js'
import type { LimitKeys } from './limit-key.js'
import type { CreateLimiter, Limit, Limiter } from './limiter.js'
import { createMemoryLimiter } from './memory-limiter.js'
import type { LimitExceeded } from './rate-limits.js'
import type { OnLimitRefused } from './refusal.js'

/** Makes the limiter behind one limit; `name` keeps its keys apart from those of the others. */
export type MakeLimiter = (name: string, limit: Limit) => Limiter

/** What limiters need beside their limit. */
export interface LimiterParts {
  readonly now: System['now']
  readonly runInTime: RunInTime
  /** Called once for each outage of the store. */
  readonly report: (error: AuthError) => void
}

/** What limits are made from. */
export interface LimitParts {
  readonly makeLimiter: MakeLimiter
  readonly keys: LimitKeys
  readonly now: System['now']
  readonly listenFor: (refusal: LimitExceeded) => OnLimitRefused
}

/** Counts in the application's limiters if it passes some, and in memory otherwise. */
export const createLimiterMaker = (
  create: CreateLimiter | undefined,
  { now, runInTime, report }: LimiterParts,
): MakeLimiter => {
  const outages = createStoreOutages(now, report)
  return (name, { points, durationSeconds }) => {
    const options = { keyPrefix: `jwt_auth_${name}`, points, duration: durationSeconds }
    const limiter = createMemoryLimiter(options, { now })
    if (create === undefined) return limiter
    const missed = createMemoryLimiter(options, { now })
    return createInsuredLimiter(create(options), { limiter, missed, runInTime, outages })
  }
}
