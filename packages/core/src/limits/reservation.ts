import { AuthError } from '../errors/auth-error.js'
import type { EpochMs, System } from '../system.js'
import type { Bucket, LimitContext } from './limit-context.js'
import { isExhausted, type LimiterState } from './limiter.js'

/** An attempt that was counted before it was made, or that a limit refused. */
export type Reservation =
  | {
      readonly kind: 'reserved'
      /**
       * Reverses the count in all buckets, or in those that the filter accepts. Called when the attempt does not count as failed.
       */
      readonly giveBack: (filter?: (bucket: Bucket) => boolean) => Promise<void>
    }
  | {
      readonly kind: 'refused'
      /** `jwt_auth_rate_limited`, with the time to wait. */
      readonly error: AuthError
    }

/**
 * Counts an attempt in every bucket, or in none: if one bucket refuses, all points are given back. Counting comes before the
 * attempt, so that of concurrent attempts only as many are made as the limit allows.
 */
export const reserve = async (
  buckets: readonly Bucket[],
  { now, announceExceeded }: Pick<LimitContext, 'now' | 'announceExceeded'>,
): Promise<Reservation> => {
  const taken: TakenPoint[] = []
  for (const bucket of buckets) {
    const { state, isRefused } = await takePoint(bucket)
    taken.push({ bucket, windowEndsAt: now() + state.msBeforeNext })
    if (isRefused) {
      // A limiter also counts what it refuses. The refused attempt was not made, so its point is given back and does not count
      // against the next attempt.
      await returnPoints(taken, now)
      announceExceeded(bucket, state)
      const error = new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: state.msBeforeNext / 1_000 })
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
    if (isExhausted(thrown)) return { state: thrown, isRefused: true }
    throw thrown
  }
}

// Results take time to arrive, so that one window seems to end at different instants.
const greatestLagMs = 500

const returnPoints = async (taken: readonly TakenPoint[], now: System['now']): Promise<void> => {
  await Promise.all(
    taken.map(async ({ bucket: { limiter, key }, windowEndsAt }) => {
      const { consumedPoints, msBeforeNext } = await limiter.reward(key)
      // The window may have ended since. A point given back to the next window would allow one more guess there.
      const isNextWindow = now() + msBeforeNext > windowEndsAt + greatestLagMs
      if (consumedPoints < 0 || isNextWindow) await limiter.penalty(key)
    }),
  )
}
