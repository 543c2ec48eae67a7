import { AuthError } from '../errors/auth-error.js'
import type { EpochMs, System } from '../system.js'
import { isRefusal, type Limiter, type LimiterState } from './limiter.js'
import type { OnLimitRefused } from './refusal.js'

/** One limit as it applies to one attempt. */
export interface Bucket {
  readonly limiter: Limiter
  readonly key: string
  /** Whether the limit counts the attempts of a network at all accounts. @default false */
  readonly isOfNetwork?: boolean
  /** Told when the limit refuses. */
  readonly onRefused: OnLimitRefused
}

/** An attempt that was counted before it was made, or that a limit refused. */
export type Reservation =
  | {
      readonly kind: 'reserved'
      /** Returns the points, or those of the buckets that the filter accepts: the attempt was no failed attempt. */
      readonly giveBack: (filter?: (bucket: Bucket) => boolean) => Promise<void>
    }
  | {
      readonly kind: 'refused'
      /** `jwt_auth_rate_limited`, with the time to wait. */
      readonly error: AuthError
    }

/**
 * Counts an attempt in every bucket, or in none: what one bucket refuses is given back to all. Counted first and
 * made afterwards, so that of any number of concurrent attempts only as many are made as the limit allows.
 */
export const reserve = async (buckets: readonly Bucket[], now: System['now']): Promise<Reservation> => {
  const taken: TakenPoint[] = []
  for (const bucket of buckets) {
    const { state, isRefused } = await takePoint(bucket)
    taken.push({ bucket, windowEndsAt: now() + state.msBeforeNext })
    if (isRefused) {
      // A limiter counts what it refuses as well; it was not made, and must not keep the next one out.
      await returnPoints(taken, now)
      bucket.onRefused(state, bucket.key)
      const error = new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: state.msBeforeNext / 1000 })
      return { kind: 'refused', error }
    }
  }
  return {
    kind: 'reserved',
    giveBack: (filter = () => true) =>
      returnPoints(
        taken.filter(({ bucket }) => filter(bucket)),
        now,
      ),
  }
}

/** Gives back what was reserved. */
export const giveBackAll = async (reservations: readonly (Reservation | undefined)[]): Promise<void> => {
  await Promise.all(reservations.map((one) => (one?.kind === 'reserved' ? one.giveBack() : undefined)))
}

/** A point, and the window that it was taken from. */
interface TakenPoint {
  readonly bucket: Bucket
  readonly windowEndsAt: EpochMs
}

const takePoint = async ({
  limiter,
  key,
}: Bucket): Promise<{ readonly state: LimiterState; readonly isRefused: boolean }> => {
  try {
    return { state: await limiter.consume(key), isRefused: false }
  } catch (thrown) {
    if (isRefusal(thrown)) return { state: thrown, isRefused: true }
    throw thrown
  }
}

// Answers take time to come, so that one window seems to end at different instants.
const greatestLagMs = 500

const returnPoints = async (taken: readonly TakenPoint[], now: System['now']): Promise<void> => {
  await Promise.all(
    taken.map(async ({ bucket: { limiter, key }, windowEndsAt }) => {
      const { consumedPoints, msBeforeNext } = await limiter.reward(key)
      // The window may have ended since. A point given back to the next one would be one guess more there.
      const isNextWindow = now() + msBeforeNext > windowEndsAt + greatestLagMs
      if (consumedPoints < 0 || isNextWindow) await limiter.penalty(key)
    }),
  )
}
