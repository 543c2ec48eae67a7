import { AuthError } from '../errors/auth-error.js'
import { isRefusal, type Limiter, type LimiterState } from './limiter.js'
import type { OnLimitRefused } from './refusal.js'

/** One limit as it applies to one attempt. */
export interface Bucket {
  readonly limiter: Limiter
  readonly key: string
  /** Told when the limit refuses. */
  readonly onRefused: OnLimitRefused
}

/** An attempt that was counted before it was made. */
export interface Reservation {
  /** Takes the attempt out of the count again: it was not a failed one. */
  readonly giveBack: () => Promise<void>
}

/**
 * Counts an attempt in every bucket, or in none: what one bucket refuses is given back to all. Counted first and
 * made afterwards, so that of any number of attempts at once only as many are made as the limit allows. Throws
 * `jwt_auth_rate_limited`.
 */
export const reserve = async (buckets: readonly Bucket[]): Promise<Reservation> => {
  const taken: Bucket[] = []
  for (const bucket of buckets) {
    const refusal = await consume(bucket)
    if (refusal !== undefined) {
      // A limiter counts what it refuses as well; it was not made, and must not keep the next one out.
      await giveBackTo([...taken, bucket])
      bucket.onRefused(refusal, bucket.key)
      throw new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: refusal.msBeforeNext / 1000 })
    }
    taken.push(bucket)
  }
  return { giveBack: () => giveBackTo(taken) }
}

/** Takes a point; answers the state of a bucket that has none left. */
const consume = async ({ limiter, key }: Bucket): Promise<LimiterState | undefined> => {
  try {
    await limiter.consume(key)
    return undefined
  } catch (thrown) {
    if (isRefusal(thrown)) return thrown
    throw thrown
  }
}

const giveBackTo = async (buckets: readonly Bucket[]): Promise<void> => {
  await Promise.all(
    buckets.map(async ({ limiter, key }) => {
      const { consumedPoints } = await limiter.reward(key)
      // The window may have ended since. A point below zero would be one guess more in the next one.
      if (consumedPoints < 0) await limiter.penalty(key)
    }),
  )
}
