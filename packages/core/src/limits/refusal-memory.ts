import { LRUCache } from 'lru-cache'
import type { EpochMs, System } from '../system.js'
import type { LimitWindow } from './limiter.js'

type Count = Pick<LimitWindow, 'key'>

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

/** Creates the memory of the counts of one service that are used up. */
export const createRefusalMemory = ({ now, monotonicMs }: Pick<System, 'now' | 'monotonicMs'>) => {
  const refusals = new LRUCache<string, Refusal>({ max: maxRefusals })

  const isRefused = ({ key }: Count): boolean => {
    const refusal = refusals.get(key)
    if (refusal === undefined || now() >= refusal.endsAt) return false
    if (monotonicMs() < refusal.askAgainAt) return true
    refusal.askAgainAt = monotonicMs() + askAgainAfterMs
    return false
  }

  return {
    /**
     * Returns the first of these counts that is remembered to be used up. Ignores a count once a
     * second, so that the caller asks the limiter again.
     */
    find: <C extends Count>(counts: readonly C[]): C | undefined => counts.find(isRefused),
    /** Remembers that counts are used up until their windows end. */
    remember: (windows: readonly LimitWindow[]): void => {
      for (const { key, endsAt } of windows) {
        const held = refusals.get(key)
        const isAnnounced = held?.endsAt === endsAt && held.isAnnounced
        refusals.set(key, { endsAt, askAgainAt: monotonicMs() + askAgainAfterMs, isAnnounced })
      }
    },
    /** Remembers for a second that the mark of a known network does not exist. */
    rememberBriefly: (mark: string): void => {
      const askAgainAt = monotonicMs() + askAgainAfterMs
      refusals.set(mark, { endsAt: now() + askAgainAfterMs, askAgainAt, isAnnounced: true })
    },
    /**
     * Returns when the window of a used-up count ends, and whether this was asked for the first
     * time in the window.
     */
    announce: (key: string): { readonly endsAt: EpochMs; readonly isFirst: boolean } => {
      const refusal = refusals.get(key) ?? { endsAt: now(), isAnnounced: true }
      const isFirst = !refusal.isAnnounced
      refusal.isAnnounced = true
      return { endsAt: refusal.endsAt, isFirst }
    },
    /** Makes the next call of `find` ignore counts. */
    askAgain: (counts: readonly Count[]): void => {
      for (const { key } of counts) {
        const refusal = refusals.get(key)
        if (refusal !== undefined) refusal.askAgainAt = monotonicMs()
      }
    },
  }
}
