import type { RunInTime } from '../ports/deadline.js'
import type { System } from '../system.js'
import { createInsuredLimiter, type Insurance } from './insured-limiter.js'
import type { LimitKeys } from './limit-key.js'
import type { CreateLimiter, Limit, Limiter } from './limiter.js'
import { createMemoryLimiter } from './memory-limiter.js'
import type { OnLimitRefused, Refusal } from './refusal.js'

/** Makes the limiter behind one limit; `name` keeps its keys apart from those of the others. */
export type MakeLimiter = (name: string, limit: Limit) => Limiter

/** What limiters need beside their limit. */
export interface LimiterParts {
  readonly now: System['now']
  readonly runInTime: RunInTime
  readonly report: Insurance['report']
}

/** What limits are made from. */
export interface LimitParts {
  readonly makeLimiter: MakeLimiter
  readonly keys: LimitKeys
  readonly now: System['now']
  readonly listenFor: (refusal: Refusal) => OnLimitRefused
}

/** Counts in the host's limiters where it hands them in, and in memory otherwise. */
export const createLimiterMaker =
  (create: CreateLimiter | undefined, parts: LimiterParts): MakeLimiter =>
  (name, { points, durationSeconds }) => {
    const options = { keyPrefix: `jwt_auth_${name}`, points, duration: durationSeconds }
    const own = createMemoryLimiter(options, parts)
    return create === undefined ? own : createInsuredLimiter(create(options), { ...parts, limiter: own })
  }
