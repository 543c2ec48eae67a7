import { LRUCache } from 'lru-cache'
import type { AuthError } from '../errors/auth-error.js'
import type { RunInTime, System } from '../system.js'
import { createInsuredLimiter, createStoreOutages } from './insured-limiter.js'
import { createLimitKeys, type LimitKeys } from './limit-keys.js'
import { createMemoryLimiter, type Limit, type Limiter, type LimiterState } from './limiter.js'
import type { LimitExceeded, RateLimitPolicy } from './rate-limits.js'

/** What limits need from their service. */
export interface LimitEnvironment extends Pick<System, 'now' | 'startTimer'> {
  /** Sets the deadline of calls of the application's limiters. */
  readonly runInTime: RunInTime
  /** Called once for each outage of the application's limiters. */
  readonly report: (error: AuthError) => void
  /** The secret of the keys under which attempts are counted. */
  readonly keySecret: Buffer
  /** Called when a limit refuses an attempt, once for each key and window. */
  readonly onExceeded: (exceeded: LimitExceeded) => void
  /** Aborts when the service closes. */
  readonly closing: AbortSignal
  /** Returns whether a check failed because its network already has its share of the hashing queue. */
  readonly isRefusedForNetwork: (failure: AuthError) => boolean
}

/** What all limits of a service share. */
export interface LimitContext extends Pick<LimitEnvironment, 'now' | 'startTimer' | 'closing' | 'isRefusedForNetwork'> {
  /** The limits. */
  readonly policy: RateLimitPolicy
  /** Creates the keys under which attempts are counted. */
  readonly keys: LimitKeys
  /**
   * Creates the limiter of one limit: the application's, or one in memory. The name separates its keys from those of other
   * limits.
   */
  readonly createLimiter: (name: string, limit: Limit) => Limiter
  /** Emits the event of a refusal, at most once for each key and window. */
  readonly announceExceeded: (bucket: Bucket, state: LimiterState) => void
}

/** One limit, as it applies to one attempt. */
export interface Bucket extends LimitExceeded {
  /** Counts the attempt. */
  readonly limiter: Limiter
  /** The key that the attempt is counted under. */
  readonly key: string
}

// Beyond this number, the refusal that was announced least recently may be announced again.
const mostRemembered = 1_000

/** Creates the context of the limits of one service. */
export const createLimitContext = (
  policy: RateLimitPolicy,
  { now, startTimer, runInTime, report, keySecret, onExceeded, closing, isRefusedForNetwork }: LimitEnvironment,
): LimitContext => {
  const outages = createStoreOutages(now, report)
  const quietUntil = new LRUCache<string, number>({ max: mostRemembered })
  return {
    policy,
    now,
    startTimer,
    closing,
    isRefusedForNetwork,
    keys: createLimitKeys(keySecret),
    createLimiter: (name, { points, durationSeconds }) => {
      const options = { keyPrefix: `jwt_auth_${name}`, points, duration: durationSeconds }
      const limiter = createMemoryLimiter(options, { now })
      if (policy.limiter === undefined) return limiter
      const missed = createMemoryLimiter(options, { now })
      return createInsuredLimiter(policy.limiter(options), { limiter, missed, runInTime, outages })
    },
    announceExceeded: ({ limit, network, key }, { msBeforeNext }) => {
      const exceeded = `${limit} ${key}`
      if (now() < (quietUntil.get(exceeded) ?? 0)) return
      quietUntil.set(exceeded, now() + msBeforeNext)
      onExceeded({ limit, network })
    },
  }
}
