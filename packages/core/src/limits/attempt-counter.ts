import { AuthError } from '../errors/auth-error.js'
import { toAggregates } from '../network.js'
import type { System } from '../system.js'
import { limitChannel } from '../tracing.js'
import type { LimitCount, Limiter, LimitMark, ReservedCounts } from './limiter.js'
import type { LimitExceeded } from './rate-limits.js'
import { createRefusalMemory } from './refusal-memory.js'

/** One limit, as it applies to one attempt. */
export interface Bucket extends LimitExceeded, LimitCount {
  /** How many attempts the limit allows in a window. */
  readonly points: number
}

/** The limits of one attempt. */
export interface AttemptLimits {
  /** The limits that apply to everybody, in the order in which they refuse. */
  readonly forAll: readonly Bucket[]
  /** The limits that apply instead on a known network. @default none */
  readonly forKnown?: readonly Bucket[]
  /** The mark of a known network. @default the network is not known */
  readonly mark?: string
  /** Aborts when the client has disconnected. */
  readonly signal?: AbortSignal | undefined
}

/** An attempt that was counted, or that a limit refused. */
export interface CountedAttempt {
  /**
   * `jwt_auth_rate_limited`, with the time to wait, if a limit for everybody refused the attempt.
   */
  readonly refusal: AuthError | undefined
  /** Whether the network is known and its own limits allow the attempt. */
  readonly isKnown: boolean
  /** Takes the attempt back from its counts, except from those of one limit, and sets a mark. */
  readonly refund: (options: { readonly except?: Bucket['limit']; readonly mark?: LimitMark }) => Promise<void>
}

/** Counts an attempt in its limits. */
export type CountAttempt = (limits: AttemptLimits) => Promise<CountedAttempt>

/** What counting needs from its service. */
export interface CounterEnvironment extends Pick<System, 'monotonicMs'> {
  /** The clock of the windows, by which the limiter counts. */
  readonly now: System['now']
  readonly limiter: Limiter
  /** How many calls of the limiter are in flight at a time. */
  readonly maxCallsInFlight: number
  /** Called when a limit refuses an attempt, once for each key and window. */
  readonly onExceeded: (exceeded: LimitExceeded) => void
}

/**
 * Creates the function that counts attempts. The limits for everybody count an attempt all together
 * or not at all, and so do those for known networks. Counting comes before the attempt, so that of
 * concurrent attempts only as many are made as the limits allow.
 *
 * A flood does not occupy the limiter: few calls are in flight at a time, networks take turns, and
 * a limit that refused is remembered (docs/design/rate-limits.md).
 *
 * @throws AuthError `jwt_auth_invalid_request` when the client has disconnected before the attempt
 * was counted
 */
export const createAttemptCounter = ({
  limiter,
  maxCallsInFlight,
  now,
  monotonicMs,
  onExceeded,
}: CounterEnvironment): CountAttempt => {
  const refusals = createRefusalMemory({ now, monotonicMs })
  const runInSlot = createSlots(maxCallsInFlight)

  const toError = ({ key, limit, network }: Bucket): AuthError => {
    if (limitChannel.hasSubscribers) limitChannel.publish({ limit })
    const { endsAt, isFirst } = refusals.announce(key)
    if (isFirst) onExceeded({ limit, network })
    return new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: (endsAt - now()) / 1_000 })
  }

  const count = async ({ forAll, forKnown = [], mark = '' }: AttemptLimits): Promise<CountedAttempt> => {
    const rememberedForAll = refusals.find(forAll)
    const isClosedForKnown = refusals.find([...forKnown, { key: mark }]) !== undefined
    const asked = [...(rememberedForAll === undefined ? forAll : []), ...(isClosedForKnown ? [] : forKnown)]
    const { windows, isMarked } =
      asked.length === 0 ? nothing : await limiter.reserve(asked.map(toCount), { now: now(), mark })
    const windowOf = new Map(windows.map((window) => [window.key, window]))
    const windowsOf = (buckets: readonly Bucket[]) => buckets.flatMap(({ key }) => windowOf.get(key) ?? [])
    const isExceeded = ({ key, points }: Bucket): boolean => (windowOf.get(key)?.count ?? 0) > points
    refusals.remember(windowsOf(asked.filter(isExceeded)))
    refusals.askAgain(asked.filter((bucket) => !isExceeded(bucket)))

    const refusedBy = rememberedForAll ?? forAll.find(isExceeded)
    const isOpenForKnown = !isClosedForKnown && !forKnown.some(isExceeded)
    const isKnown = isMarked && isOpenForKnown
    if (isMarked) refusals.askAgain([{ key: mark }])
    else if (refusedBy !== undefined) refusals.rememberBriefly(mark)
    // Attempts at unknown networks stay in the counts of known networks too. They are few, because
    // the limits for everybody are lower, and giving them back would cost another call.
    const isKept = (bucket: Bucket): boolean =>
      forAll.includes(bucket) ? refusedBy === undefined : isKnown || (isOpenForKnown && refusedBy === undefined)

    const refund = async (buckets: readonly Bucket[], newMark?: LimitMark): Promise<void> => {
      const refunded = windowsOf(buckets)
      if (refunded.length === 0 && newMark === undefined) return
      await limiter.refund(refunded, { now: now(), mark: newMark })
    }
    await refund(asked.filter((bucket) => !isKept(bucket)))
    const kept = asked.filter(isKept)
    return {
      refusal: refusedBy && toError(refusedBy),
      isKnown,
      refund: ({ except, mark: newMark }) => {
        const buckets = kept.filter(({ limit }) => limit !== except)
        refusals.askAgain(newMark === undefined ? buckets : [...buckets, newMark])
        return runInSlot(() => refund(buckets, newMark))
      },
    }
  }

  return (limits) =>
    runInSlot(async () => {
      if (limits.signal?.aborted !== true) return count(limits)
      throw new AuthError('jwt_auth_invalid_request', {
        detail: 'the client disconnected before its attempt was counted',
      })
    }, toTurn(limits))
}

// A customer of a provider has up to 65,536 networks in a /48.
const toTurn = ({ forAll: [bucket] }: AttemptLimits): string => {
  const network = bucket?.network ?? ''
  return toAggregates(network)?.of48 ?? network
}

const nothing: ReservedCounts = { windows: [], isMarked: false }

// A limiter sees neither the network nor the limit.
const toCount = ({ key, windowMs }: Bucket): LimitCount => ({ key, windowMs })

type RunInSlot = <T>(work: () => Promise<T>, turn?: string) => Promise<T>

/**
 * Runs at most `size` works at a time. Of the others, those without a turn come first, and then the
 * turns alternate: many works of one turn delay those of another by one work each.
 */
const createSlots = (size: number): RunInSlot => {
  const urgent: (() => void)[] = []
  const turns = new Map<string, (() => void)[]>()
  let free = size

  const wait = (turn: string | undefined): Promise<void> =>
    new Promise((resolve) => {
      const waiting = turn === undefined ? urgent : (turns.get(turn) ?? [])
      waiting.push(resolve)
      if (turn !== undefined) turns.set(turn, waiting)
    })
  const takeNext = (): (() => void) | undefined => {
    const [turn] = turns.keys()
    if (urgent.length > 0 || turn === undefined) return urgent.shift()
    const waiting = turns.get(turn) ?? []
    const next = waiting.shift()
    // The turn goes behind the others.
    turns.delete(turn)
    if (waiting.length > 0) turns.set(turn, waiting)
    return next
  }

  return async (work, turn) => {
    if (free > 0) free -= 1
    else await wait(turn)
    try {
      return await work()
    } finally {
      const startNext = takeNext()
      if (startNext === undefined) free += 1
      else startNext()
    }
  }
}
