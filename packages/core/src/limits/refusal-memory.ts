import { LRUCache } from 'lru-cache'
import type { EpochMs, System } from '../system.js'

/** Remembers the counts that are used up. */
interface RefusalMemory {
  /**
   * Returns the first of these counts that is remembered to be used up. Ignores a count once a
   * second, so that the caller asks the limiter again.
   */
  readonly find: <Count extends { readonly key: string }>(counts: readonly Count[]) => Count | undefined
  /** Remembers that a count is used up until its window ends. */
  readonly remember: (key: string, endsAt: EpochMs) => void
  /** Remembers for a second that the mark of a known network does not exist. */
  readonly rememberBriefly: (mark: string) => void
  /**
   * Returns when the window of a used-up count ends, and whether this was asked for the first time
   * in the window.
   */
  readonly announce: (key: string) => { readonly endsAt: EpochMs; readonly isFirst: boolean }
  /** Makes the next call of `find` ignore a count. */
  readonly askAgain: (key: string) => void
}

interface Refusal {
  readonly endsAt: EpochMs
  askAgainAt: EpochMs
  isAnnounced: boolean
}

// Another instance may have refunded an attempt.
const askAgainAfterMs = 1_000

// Beyond this number, the limiter is asked again.
const maxRefusals = 10_000

/** Creates the memory of the refusals of one service. */
export const createRefusalMemory = (now: System['now']): RefusalMemory => {
  const refusals = new LRUCache<string, Refusal>({ max: maxRefusals })

  const isRefused = ({ key }: { readonly key: string }): boolean => {
    const refusal = refusals.get(key)
    if (refusal === undefined || now() >= refusal.endsAt) return false
    if (now() < refusal.askAgainAt) return true
    refusal.askAgainAt = now() + askAgainAfterMs
    return false
  }

  return {
    find: (counts) => counts.find(isRefused),
    remember: (key, endsAt) => {
      const held = refusals.get(key)
      const isAnnounced = held?.endsAt === endsAt && held.isAnnounced
      refusals.set(key, { endsAt, askAgainAt: now() + askAgainAfterMs, isAnnounced })
    },
    rememberBriefly: (mark) => {
      const endsAt = now() + askAgainAfterMs
      refusals.set(mark, { endsAt, askAgainAt: endsAt, isAnnounced: true })
    },
    announce: (key) => {
      const refusal = refusals.get(key) ?? { endsAt: now(), askAgainAt: now(), isAnnounced: true }
      const isFirst = !refusal.isAnnounced
      refusal.isAnnounced = true
      return { endsAt: refusal.endsAt, isFirst }
    },
    askAgain: (key) => {
      const refusal = refusals.get(key)
      if (refusal !== undefined) refusal.askAgainAt = now()
    },
  }
}
