import { LRUCache } from 'lru-cache'
import { AuthError } from '../errors/auth-error.js'
import type { LimitExceeded } from '../events/auth-event.js'
import type { Limiter, LimitMark, LimitWindow } from '../ports/limiter.js'
import type { CallOptions, RunInTime, System } from '../system.js'

/** A limiter in the memory of one process. */
export interface MemoryLimiter extends Limiter {
  /** Raises counts to those of another store, and takes over the ends of its windows. */
  readonly raise: (windows: readonly LimitWindow[]) => void
}

// An attempt adds to at most eight counts. Only a login sets a mark.
const [defaultMaxCounts, maxMarks] = [110_000, 50_000]

/**
 * Creates a limiter in the memory of one process. Frees windows that have ended. Beyond its bounds,
 * it forgets the key that was used least recently: a key under attack is used all the time and
 * stays (docs/design/rate-limits.md).
 */
export const createMemoryLimiter = (maxCounts = defaultMaxCounts): MemoryLimiter => {
  const windows = createBoundedCache<LimitWindow>(maxCounts)
  const marks = createBoundedCache<LimitMark>(maxMarks)
  let freedAt = 0

  return {
    reserve: async (counts, { now, mark = '' }) => {
      // In both directions, because the windows of a store follow a clock that can be set.
      if (Math.abs(now - freedAt) >= freeEveryMs) {
        freedAt = now
        for (const entries of [windows, marks]) {
          for (const { key, endsAt } of [...entries.values()]) if (endsAt <= now) entries.delete(key)
        }
      }
      const reserved = counts.map(({ key, durationSeconds }) => {
        const held = windows.get(key)
        const isOpen = held !== undefined && now < held.endsAt
        const window = isOpen
          ? { ...held, count: held.count + 1 }
          : { key, count: 1, endsAt: now + durationSeconds * 1_000 }
        windows.set(key, window)
        return window
      })
      return { windows: reserved, isMarked: now < (marks.get(mark)?.endsAt ?? now) }
    },
    refund: async (refunded, { mark }) => {
      for (const { key, endsAt } of refunded) {
        const held = windows.get(key)
        if (held?.endsAt !== endsAt) continue
        // Otherwise many attempts that the hashing queue refused would displace failed attempts.
        if (held.count <= 1) windows.delete(key)
        else windows.set(key, { ...held, count: held.count - 1 })
      }
      if (mark === undefined) return
      marks.set(mark.key, { ...mark, endsAt: Math.max(mark.endsAt, marks.get(mark.key)?.endsAt ?? 0) })
    },
    raise: (others) => {
      for (const { key, count, endsAt } of others) {
        windows.set(key, { key, count: Math.max(count, windows.get(key)?.count ?? 0), endsAt })
      }
    },
  }
}

// A pass takes about a millisecond for 10,000 entries.
const freeEveryMs = 60_000

/** A cache as a map. The declarations of lru-cache need `skipLibCheck`, and ours must not. */
export interface BoundedCache<T> {
  get(key: string): T | undefined
  set(key: string, value: T): unknown
  delete(key: string): boolean
  values(): Iterable<T>
}

/** Creates a cache of at most `max` entries, which reserves no memory for entries that it lacks. */
export const createBoundedCache = <T extends object | number | string>(max: number): BoundedCache<T> =>
  new LRUCache<string, T>({ maxSize: max, sizeCalculation: () => 1 })

/** What limits need from their service. `now` is the clock of windows and marks. */
export interface LimitEnvironment extends Pick<System, 'now' | 'monotonicMs' | 'startTimer'> {
  /** Sets the deadline of a call of the limiter. */
  readonly runInTime: RunInTime
  /** Aborts when the service closes. */
  readonly closing: AbortSignal
  /** Called once for each outage of the store. */
  readonly report: (error: AuthError) => void
  /** Called when a limit refuses an attempt, once for each key and window. */
  readonly onExceeded: (exceeded: LimitExceeded) => void
}

// While the store is down, every login would otherwise wait for the deadline, and each failure
// would be reported.
const outageMs = 5_000

/**
 * Creates a limiter over that of a store. If a call of the store fails or is late, this
 * process counts in `memory`, and calls the store again after five seconds
 * (docs/design/rate-limits.md). It always counts in `memory` too, and raises these counts to
 * those of the store. During an outage it therefore continues from what it knows, and an attacker
 * who repeatedly slows down the store does not receive the full number of attempts each time.
 */
export const createFallbackLimiter = (
  store: Limiter,
  memory: MemoryLimiter,
  { monotonicMs, runInTime, report }: Pick<LimitEnvironment, 'monotonicMs' | 'runInTime' | 'report'>,
): Limiter => {
  let outageEndsAt = Number.NEGATIVE_INFINITY

  const callStore = async <T>(call: (options: CallOptions) => Promise<T>, fallback: T): Promise<T> => {
    if (monotonicMs() < outageEndsAt) return fallback
    try {
      return await runInTime(async (options) => call(options))
    } catch (cause) {
      // Of calls that fail together, only the first is reported.
      if (monotonicMs() >= outageEndsAt) {
        outageEndsAt = monotonicMs() + outageMs
        report(new AuthError('jwt_auth_unavailable', { cause, detail: 'the limiter failed' }))
      }
      return fallback
    }
  }

  return {
    reserve: async (counts, options) => {
      const own = await memory.reserve(counts, options)
      return callStore(async (call) => {
        const reserved = await store.reserve(counts, { ...options, ...call })
        requireCounts(reserved.windows, counts.length)
        memory.raise(reserved.windows)
        return { ...reserved, windows: reserved.windows.map((window) => ({ ...window, [stored]: true })) }
      }, own)
    },
    refund: async (windows, options) => {
      await memory.refund(windows, options)
      const inStore = windows.filter((window) => stored in window)
      await callStore((call) => store.refund(inStore, { ...options, ...call }), undefined)
    },
  }
}

// Marks the windows of the store. An attempt that only this process counted is not taken back from
// the store.
const stored = Symbol('stored')

const requireCounts = (windows: readonly LimitWindow[], length: number): void => {
  if (windows.length === length && windows.every(isCounted)) return
  throw new TypeError('jwt-auth: the limiter did not return a window for each count.')
}

// A missing count, a count of 0 and text would be below every limit.
const isCounted = ({ count, endsAt }: LimitWindow): boolean => Number.isInteger(count) && count > 0 && endsAt > 0
