import { LRUCache } from 'lru-cache'
import type { EmitEvent } from '../events/listeners.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { EpochMs } from '../system.js'

/** How many repeats of one replaced refresh token a process accepts. */
export const maxRepeats = 20

// Bounds the memory. A client can replace so many tokens of its own session that the count of one
// is forgotten: it then has 20 more repeats of that token.
const maxCounted = 10_000

/**
 * Creates the function that counts another repeat of a replaced refresh token, identified by the
 * hash of its verifier, or another token without the key of its session, identified by the id of
 * the session, the mismatch and the day. Returns the number, starting at 1. The change -1 takes back a repeat
 * that failed. Counts need no expiry, because none of these is used again.
 */
export const createRepeatCounter = () => {
  const counts = new LRUCache<string, number>({ max: maxCounted })
  return (id: string, change: 1 | -1 = 1): number => {
    const count = (counts.get(id) ?? 0) + change
    counts.set(id, count)
    return count
  }
}

const maxLeadMs = 5_000
const quietMs = 60_000

/**
 * Creates the function that compares the clock of this instance with the time of a session's last
 * write. It emits `clock_skew`, at most once a minute, for a session
 * that was written more than five seconds in the future: either this clock is slow, or the clock of
 * the instance that wrote the session is fast.
 */
export const createClockWatch = (emit: EmitEvent) => {
  let emittedAt = Number.NEGATIVE_INFINITY
  return ({ rotatedAt }: SessionRecord, now: EpochMs): void => {
    const aheadMs = rotatedAt - now
    // In both directions, because a clock that is set back must not silence the event until it has
    // caught up.
    if (aheadMs <= maxLeadMs || Math.abs(now - emittedAt) < quietMs) return
    emittedAt = now
    emit({ type: 'clock_skew', aheadMs, at: new Date(now) })
  }
}
