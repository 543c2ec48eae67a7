import { AuthError } from '../errors/auth-error.js'
import type { RunInTime } from '../ports/deadline.js'
import type { System } from '../system.js'
import { isRefusal, type Limiter } from './limiter.js'

/** What a limiter that may fail is insured with. */
export interface Insurance {
  /** Counts while the store can't. */
  readonly limiter: Limiter
  readonly runInTime: RunInTime
  readonly now: System['now']
  /** Hears of each failure. */
  readonly report: (error: AuthError) => void
}

// A store that is down would cost every login its deadline, several times over, and fill the log.
const restMs = 5_000

/**
 * A limiter over the host's store. When that fails or is late, this process counts by itself, with the same limits, and
 * asks the store again after five seconds: an outage of the limiter neither locks users out nor lets guesses through
 * uncounted (docs/decisions/0029).
 */
export const createInsuredLimiter = (store: Limiter, { limiter: own, runInTime, now, report }: Insurance): Limiter => {
  let restsUntil = Number.NEGATIVE_INFINITY

  const ask = async <T>(key: string, call: (limiter: Limiter) => Promise<T>): Promise<T> => {
    if (now() < restsUntil) return call(own)
    try {
      return await runInTime(async () => call(store))
    } catch (thrown) {
      if (isRefusal(thrown)) {
        // What is used up in the store stays used up here while the store is unavailable.
        await own.set(key, thrown.consumedPoints, thrown.msBeforeNext / 1_000)
        throw thrown
      }
      restsUntil = now() + restMs
      report(new AuthError('jwt_auth_unavailable', { cause: thrown, detail: 'a limiter of `rateLimits` failed' }))
      return call(own)
    }
  }

  return {
    consume: (key, points) => ask(key, (limiter) => limiter.consume(key, points)),
    reward: (key, points) => ask(key, (limiter) => limiter.reward(key, points)),
    penalty: (key, points) => ask(key, (limiter) => limiter.penalty(key, points)),
    get: (key) => ask(key, (limiter) => limiter.get(key)),
    set: async (key, points, secDuration) => {
      // In both: what was set stays known here while the store is away.
      await own.set(key, points, secDuration)
      return ask(key, (limiter) => limiter.set(key, points, secDuration))
    },
  }
}
