import { AuthError } from '../errors/auth-error.js'
import type { CallOptions, RunInTime, System } from '../system.js'
import type { Limiter, LimitWindow, MemoryLimiter } from './limiter.js'

/** What a fallback limiter needs from its service. */
export interface FallbackEnvironment extends Pick<System, 'monotonicMs'> {
  /** Sets the deadline of a call. */
  readonly runInTime: RunInTime
  /** Called once for each outage of the store. */
  readonly report: (error: AuthError) => void
}

// While the store is down, every login would otherwise wait for the deadline, and each failure
// would be reported.
const outageMs = 5_000

/**
 * Creates a limiter over the application's limiter. If a call of the store fails or is late, this
 * process counts in `memory`, and calls the store again after five seconds
 * (docs/design/rate-limits.md). It always counts in `memory` too, and raises these counts to
 * those of the store. During an outage it therefore continues from what it knows, and an attacker
 * who repeatedly slows down the store does not receive the full number of attempts each time.
 */
export const createFallbackLimiter = (
  store: Limiter,
  memory: MemoryLimiter,
  { monotonicMs, runInTime, report }: FallbackEnvironment,
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
        report(new AuthError('jwt_auth_unavailable', { cause, detail: 'the limiter of `rateLimits` failed' }))
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
      await callStore(
        (call) =>
          store.refund(
            windows.filter((window) => stored in window),
            { ...options, ...call },
          ),
        undefined,
      )
    },
  }
}

// Marks the windows of the store. An attempt that only this process counted is not taken back from
// the store.
const stored = Symbol('stored')

const requireCounts = (windows: readonly LimitWindow[], length: number): void => {
  if (windows.length === length && windows.every(isCounted)) return
  throw new TypeError('jwt-auth: the limiter of `rateLimits` did not return a window for each count.')
}

// A missing count, a count of 0 and text would be below every limit.
const isCounted = ({ count, endsAt }: LimitWindow): boolean => Number.isInteger(count) && count > 0 && endsAt > 0
