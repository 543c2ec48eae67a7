import { AuthError } from '../errors/auth-error.js'
import type { LimitExceeded } from '../events/auth-event.js'
import { createFairQueue } from '../fair-queue.js'
import type { LimitCount, Limiter, LimitMark, LimitWindow, ReservedCounts } from '../ports/limiter.js'
import type { EpochMs } from '../system.js'
import { limitChannel } from '../tracing.js'
import { createBoundedCache, type LimitEnvironment } from './limiter.js'

/** One limit, as it applies to one attempt. */
export interface Bucket extends LimitExceeded, LimitCount {
  /** How many attempts the limit allows in a window. */
  readonly points: number
  /** Whether the limit applies on a known network, in place of the limits for everybody. */
  readonly isForKnown: boolean
}

/** The limits of one attempt. */
export interface AttemptLimits {
  /** The limits, in the order in which they refuse. */
  readonly buckets: readonly Bucket[]
  /** The network of the attempt. Networks take turns. */
  readonly network: string
  /** The mark of a known network. @default the network is not known */
  readonly mark?: string
  /** Aborts when the client has disconnected. */
  readonly signal?: AbortSignal | undefined
}

/** A limit, and the window of its count after an attempt was counted. */
export interface CountedBucket {
  readonly bucket: Bucket
  readonly window: LimitWindow
}

/** What the limits decide about an attempt. */
export interface Decision {
  /** The limit for everybody that refuses the attempt. */
  readonly refusal: Bucket | undefined
  /** Whether the network is known and its own limits allow the attempt. */
  readonly isKnown: boolean
  /** The counts from which the attempt is taken back immediately. */
  readonly toRefund: readonly CountedBucket[]
}

/**
 * Decides about an attempt that was counted. The limits for everybody count an attempt all together
 * or not at all, and so do those for known networks.
 *
 * Attempts at unknown networks stay in the counts of known networks too. They are few, because the
 * limits for everybody are lower, and giving them back would cost another call.
 *
 * @param refusedBefore a limit that is used up, so that the limits for everybody were not counted
 */
export const decideAttempt = (
  counted: readonly CountedBucket[],
  { isMarked, refusedBefore }: { readonly isMarked: boolean; readonly refusedBefore: Bucket | undefined },
): Decision => {
  let refusal = refusedBefore
  let isOpenForKnown = true
  for (const { bucket, window } of counted) {
    if (window.count <= bucket.points) continue
    if (bucket.isForKnown) isOpenForKnown = false
    else refusal ??= bucket
  }
  const isKept = { forAll: refusal === undefined, forKnown: isOpenForKnown && (isMarked || refusal === undefined) }
  const toRefund = counted.filter(({ bucket }) => !isKept[bucket.isForKnown ? 'forKnown' : 'forAll'])
  return { refusal, isKnown: isMarked && isOpenForKnown, toRefund }
}

/** An attempt that was counted, or that a limit refused. */
export interface CountedAttempt extends Pick<Decision, 'isKnown'> {
  /**
   * `jwt_auth_rate_limited`, with the time to wait, if a limit for everybody refused the attempt.
   */
  readonly refusal: AuthError | undefined
  /** The counts that contain the attempt. */
  readonly kept: readonly CountedBucket[]
}

/** What counting needs. */
interface CounterOptions extends Pick<LimitEnvironment, 'now' | 'monotonicMs' | 'onExceeded'> {
  readonly limiter: Limiter
  /** How many calls of the limiter are in flight at a time. */
  readonly maxCallsInFlight: number
}

/** A count that is used up, or a mark that does not exist. */
interface Refusal {
  /** By the clock of the windows. */
  readonly endsAt: EpochMs
  /** By the monotonic clock. */
  askAgainAt: number
  isAnnounced: boolean
}

// Another instance may have refunded an attempt.
const askAgainAfterMs = 1_000

// Beyond this number, the limiter is asked again.
const maxRefusals = 10_000

/**
 * Creates the counter of attempts. Counting comes before the attempt, so that of concurrent
 * attempts only as many are made as the limits allow.
 *
 * A flood does not occupy the limiter: few calls are in flight at a time, networks take turns, and
 * a limit that refused is remembered (docs/design/rate-limits.md).
 */
export const createAttemptCounter = (options: CounterOptions) => {
  const { limiter, maxCallsInFlight, now, monotonicMs, onExceeded } = options
  const queue = createFairQueue(maxCallsInFlight)
  const refusals = createBoundedCache<Refusal>(maxRefusals)

  // Ignores a refusal once a second, so that the limiter is asked again.
  const isRefused = (key: string): boolean => {
    const refusal = refusals.get(key)
    if (refusal === undefined || now() >= refusal.endsAt) return false
    if (monotonicMs() < refusal.askAgainAt) return true
    refusal.askAgainAt = monotonicMs() + askAgainAfterMs
    return false
  }

  const remember = (key: string, endsAt: EpochMs): void => {
    const held = refusals.get(key)
    const isAnnounced = held?.endsAt === endsAt && held.isAnnounced
    refusals.set(key, { endsAt, askAgainAt: monotonicMs() + askAgainAfterMs, isAnnounced })
  }

  const askAgain = (key: string): void => {
    const refusal = refusals.get(key)
    if (refusal !== undefined) refusal.askAgainAt = monotonicMs()
  }

  const toError = ({ key, limit, network }: Bucket): AuthError => {
    if (limitChannel.hasSubscribers) limitChannel.publish({ limit })
    const refusal = refusals.get(key)
    if (refusal?.isAnnounced === false) {
      refusal.isAnnounced = true
      onExceeded({ limit, network })
    }
    return new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: ((refusal?.endsAt ?? 0) - now()) / 1_000 })
  }

  const refund = (counted: readonly CountedBucket[], mark?: LimitMark): Promise<void> => {
    const windows = counted.map(({ window }) => window)
    return limiter.refund(windows, { now: now(), mark })
  }

  const countInTurn = async ({ buckets, mark = '' }: AttemptLimits): Promise<CountedAttempt> => {
    let refusedBefore: Bucket | undefined
    let isClosedForKnown = isRefused(mark)
    for (const bucket of buckets) {
      if (bucket.isForKnown) isClosedForKnown ||= isRefused(bucket.key)
      else if (refusedBefore === undefined && isRefused(bucket.key)) refusedBefore = bucket
    }
    const asked = buckets.filter(({ isForKnown }) => !(isForKnown ? isClosedForKnown : refusedBefore))
    const options = { now: now(), mark: isClosedForKnown ? undefined : mark }
    const { windows, isMarked } = asked.length === 0 ? nothing : await limiter.reserve(asked.map(toCount), options)
    const counted = asked.flatMap((bucket, place) => {
      const window = windows[place]
      return window === undefined ? [] : [{ bucket, window }]
    })
    for (const { bucket, window } of counted) {
      if (window.count > bucket.points) remember(bucket.key, window.endsAt)
      else askAgain(bucket.key)
    }
    const { refusal, isKnown, toRefund } = decideAttempt(counted, { isMarked, refusedBefore })
    if (isMarked) askAgain(mark)
    else if (refusal !== undefined && !isClosedForKnown) remember(mark, now() + askAgainAfterMs)
    if (toRefund.length > 0) await refund(toRefund)
    const kept = counted.filter((one) => !toRefund.includes(one))
    return { refusal: refusal && toError(refusal), isKnown, kept }
  }

  return {
    /**
     * Counts an attempt in its limits.
     *
     * @throws AuthError `jwt_auth_invalid_request` when the client has disconnected before the
     *   attempt was counted
     */
    count: async (limits: AttemptLimits): Promise<CountedAttempt> => {
      const { network, signal } = limits
      await queue.enter({ isKnown: false, network, signal })
      try {
        return await countInTurn(limits)
      } finally {
        queue.leave()
      }
    },
    /** Takes an attempt back from its counts, except from those of one limit, and sets a mark. */
    refund: async (
      { kept }: Pick<CountedAttempt, 'kept'>,
      { except, mark }: { readonly except?: Bucket['limit']; readonly mark?: LimitMark },
    ): Promise<void> => {
      const refunded = kept.filter(({ bucket }) => bucket.limit !== except)
      for (const { bucket } of refunded) askAgain(bucket.key)
      if (mark !== undefined) askAgain(mark.key)
      if (refunded.length > 0 || mark !== undefined) await queue.run(() => refund(refunded, mark), first)
    },
  }
}

/** Counts attempts in their limits. */
export type AttemptCounter = ReturnType<typeof createAttemptCounter>

const first = { isKnown: true, network: '' }

const nothing: ReservedCounts = { windows: [], isMarked: false }

// A limiter sees neither the network nor the limit.
const toCount = ({ key, durationSeconds }: Bucket): LimitCount => ({ key, durationSeconds })
