import type { CallOptions, EpochMs } from '../system.js'

/** A count of attempts, and the length of its windows. */
export interface LimitCount {
  /** Names the count: 1 to 100 ASCII characters. */
  readonly key: string
  /** How long a window lasts, in milliseconds. A window starts with its first attempt. */
  readonly windowMs: number
}

/** The present window of a count. */
export interface LimitWindow {
  /** Names the count. */
  readonly key: string
  /** The attempts that were counted in this window and were not refunded. */
  readonly count: number
  /** When the window ends. */
  readonly endsAt: EpochMs
}

/** A key that stays marked until an instant. */
export interface LimitMark {
  /** Names the mark: 1 to 100 ASCII characters. No count has this name. */
  readonly key: string
  /** When the mark ends. */
  readonly endsAt: EpochMs
}

/** The options of {@link Limiter.reserve}. */
export interface ReserveOptions extends CallOptions {
  /** The current instant. A limiter reads no clock. */
  readonly now: EpochMs
  /** The key of a mark to look up. @default no mark is looked up */
  readonly mark?: string | undefined
}

/** What {@link Limiter.reserve} resolves to. */
export interface ReservedCounts {
  /** The windows after the attempt was added, in the order of the counts. */
  readonly windows: readonly LimitWindow[]
  /** Whether the mark exists and has not ended. */
  readonly isMarked: boolean
}

/** The options of {@link Limiter.refund}. */
export interface RefundOptions extends CallOptions {
  /** The current instant. */
  readonly now: EpochMs
  /** A mark to set. A mark never ends earlier than it would have before. @default no mark is set */
  readonly mark?: LimitMark | undefined
}

/**
 * The port to a store of counts. `sqlLimits`, `knexLimits` and `redisLimits` implement it. A
 * limiter only counts, and its caller compares the counts with the limits. A call that fails
 * rejects.
 */
export interface Limiter {
  /**
   * Adds one attempt to each count. Starts a new window where the last one has ended. Each count
   * changes atomically: of concurrent calls on any number of instances, no two receive the same
   * number of one window. No key occurs twice in a call.
   */
  reserve(counts: readonly LimitCount[], options: ReserveOptions): Promise<ReservedCounts>
  /**
   * Takes one attempt back from each of these windows, and sets a mark. A window that has been
   * replaced by a later one is not changed, and neither is the later one. A window without attempts
   * ends: otherwise its end would reveal when somebody logged in.
   */
  refund(windows: readonly LimitWindow[], options: RefundOptions): Promise<void>
}

/**
 * Creates a limiter in the memory of one process, for counts of your own. A service without the
 * option `rateLimits.limiter` counts in the same way.
 *
 * @example
 * ```ts
 * const limiter = memoryLimits()
 * const counts = [{ key: `codes:${userId}`, windowMs: 900_000 }]
 * const { windows } = await limiter.reserve(counts, { now: Date.now() })
 * const isLimited = windows.some(({ count }) => count > 5)
 * ```
 */
export const memoryLimits = (): Limiter => createMemoryLimiter()

/** A limiter in the memory of one process. */
export interface MemoryLimiter extends Limiter {
  /** Raises counts to those of another store, and takes over the ends of its windows. */
  readonly raise: (windows: readonly LimitWindow[]) => void
}

// An attempt adds to at most eight counts. Only a login sets a mark.
const [defaultMaxCounts, maxMarks] = [150_000, 50_000]

/**
 * Creates a limiter in the memory of one process. Frees windows that have ended. Beyond its bounds,
 * it forgets the keys that were used least recently: a key under attack is used all the time and
 * stays (docs/design/rate-limits.md).
 */
export const createMemoryLimiter = (maxCounts = defaultMaxCounts): MemoryLimiter => {
  const windows = new Map<string, LimitWindow>()
  const marks = new Map<string, LimitMark>()
  let freedAt = 0

  const freeEnded = (now: EpochMs): void => {
    // In both directions, because the windows of a store follow a clock that can be set.
    if (Math.abs(now - freedAt) < freeEveryMs) return
    freedAt = now
    for (const entries of [windows, marks]) {
      for (const [key, { endsAt }] of entries) if (endsAt <= now) entries.delete(key)
    }
  }

  const addTo = ({ key, windowMs }: LimitCount, now: EpochMs): LimitWindow => {
    const held = windows.get(key)
    const window =
      held !== undefined && now < held.endsAt
        ? { ...held, count: held.count + 1 }
        : { key, count: 1, endsAt: now + windowMs }
    setNewest(windows, window, maxCounts)
    return window
  }

  return {
    reserve: async (counts, { now, mark = '' }) => {
      freeEnded(now)
      return { windows: counts.map((count) => addTo(count, now)), isMarked: now < (marks.get(mark)?.endsAt ?? now) }
    },
    refund: async (refunded, { mark }) => {
      for (const { key, endsAt } of refunded) {
        const held = windows.get(key)
        if (held?.endsAt !== endsAt) continue
        // Otherwise many attempts that the hashing queue refused would displace failed attempts.
        if (held.count <= 1) windows.delete(key)
        else setNewest(windows, { ...held, count: held.count - 1 }, maxCounts)
      }
      if (mark === undefined) return
      setNewest(marks, { ...mark, endsAt: Math.max(mark.endsAt, marks.get(mark.key)?.endsAt ?? 0) }, maxMarks)
    },
    raise: (others) => {
      for (const { key, count, endsAt } of others) {
        setNewest(windows, { key, count: Math.max(count, windows.get(key)?.count ?? 0), endsAt }, maxCounts)
      }
    },
  }
}

// A pass takes about a millisecond for 10,000 entries.
const freeEveryMs = 60_000

/** Sets an entry as the newest. Beyond the bound, deletes an eighth: one by one would take longer. */
const setNewest = <T extends LimitMark>(entries: Map<string, T>, entry: T, max: number): void => {
  entries.delete(entry.key)
  entries.set(entry.key, entry)
  if (entries.size <= max) return
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    if (entries.size <= (max * 7) / 8) break
  }
}
