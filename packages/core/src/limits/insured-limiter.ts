import { AuthError } from '../errors/auth-error.js'
import type { RunInTime, System } from '../system.js'
import { isExhausted, type Limiter, type LimiterState } from './limiter.js'

/** The two counters that replace the store of a limiter during an outage. */
interface Insurance {
  /** Counts in this process during an outage. */
  readonly limiter: Limiter
  /** Counts the points that the store missed. */
  readonly missed: Limiter
  readonly runInTime: RunInTime
  /** The outages of the store. All limiters over one store share them. */
  readonly outages: StoreOutages
}

/** Tracks the periods during which a store is not called. */
interface StoreOutages {
  readonly isInProgress: () => boolean
  /** Starts an outage, unless one is in progress: of calls that fail together, only the first is reported. */
  readonly start: (cause: unknown) => void
}

// While the store is down, every login would otherwise wait for the deadlines of several calls, and each failure would be logged.
const outageMs = 5_000

/** Creates the outages of a store. Each is reported once. */
export const createStoreOutages = (now: System['now'], report: (error: AuthError) => void): StoreOutages => {
  let endsAt = Number.NEGATIVE_INFINITY
  const isInProgress = (): boolean => now() < endsAt
  return {
    isInProgress,
    start: (cause) => {
      if (isInProgress()) return
      endsAt = now() + outageMs
      report(new AuthError('jwt_auth_unavailable', { cause, detail: 'a limiter of `rateLimits` failed' }))
    },
  }
}

/**
 * Creates a limiter over the application's store. If the store fails or is late, this process counts with the same limits, and
 * calls the store again after five seconds: an outage of the store neither locks users out nor allows uncounted guesses
 * (docs/design/rate-limits.md). The process continues from the counts that the store last returned, and adds to the store what it
 * counted meanwhile. An attacker who repeatedly slows down the store must not receive the full number of attempts each time.
 */
export const createInsuredLimiter = (
  store: Limiter,
  { limiter: own, missed, runInTime, outages }: Insurance,
): Limiter => {
  const copy = async (key: string, state: LimiterState | null): Promise<void> => {
    // A result that arrives during an outage is older than the counts made here.
    if (state !== null && !outages.isInProgress()) await own.set(key, state.consumedPoints, state.msBeforeNext / 1_000)
  }

  const countHere = <T>(call: (limiter: Limiter) => Promise<T>): Promise<T> => {
    // `missed` only counts. Its own limit does not matter.
    call(missed).catch(() => {})
    return call(own)
  }

  const addMissed = async (key: string): Promise<void> => {
    const found = missed.get(key)
    // Resets `missed` synchronously, so that concurrent calls do not add the same points.
    void missed.set(key, 0, 0)
    const points = (await found)?.consumedPoints ?? 0
    if (points <= 0) return
    try {
      await runInTime(async () => store.penalty(key, points))
    } catch (failure) {
      await missed.penalty(key, points)
      throw failure
    }
  }

  const count = async <T extends LimiterState | null>(
    key: string,
    call: (limiter: Limiter) => Promise<T>,
  ): Promise<T> => {
    if (outages.isInProgress()) return countHere(call)
    try {
      await addMissed(key)
      const result = await runInTime(async () => call(store))
      await copy(key, result)
      return result
    } catch (thrown) {
      if (isExhausted(thrown)) {
        await copy(key, thrown)
        throw thrown
      }
      outages.start(thrown)
      return countHere(call)
    }
  }

  return {
    consume: (key, points) => count(key, (limiter) => limiter.consume(key, points)),
    reward: (key, points) => count(key, (limiter) => limiter.reward(key, points)),
    penalty: (key, points) => count(key, (limiter) => limiter.penalty(key, points)),
    get: (key) => count(key, (limiter) => limiter.get(key)),
    set: async (key, points, secDuration) => {
      // Writes to the store and to this process, so that the value is known during an outage.
      await own.set(key, points, secDuration)
      return count(key, (limiter) => limiter.set(key, points, secDuration))
    },
  }
}
