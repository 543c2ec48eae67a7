import type { Difference } from '../errors/difference.js'
import type { EmitEvent } from '../events/listeners.js'
import { createBoundedCache } from '../limits/limiter.js'
import type { SessionRecord } from '../ports/session-storage.js'
import type { EpochMs } from '../system.js'

/** How many events of one kind a session causes in a process and a day. */
const maxEventsPerDay = 20

// Bounds the memory. A session whose count is forgotten causes 20 more events.
const maxCounted = 10_000

const dayMs = 86_400_000

/**
 * Creates the function that counts a suspicious use of a refresh token. Returns the number within
 * the day (UTC), starting at 1, or `undefined` if there were too many for another event. Each kind
 * counts by itself, so that many harmless uses hide no use from another network or with another
 * key.
 */
export const createReuseCounter = () => {
  const counts = createBoundedCache<number>(maxCounted)
  return (sessionId: string, kind: ReuseKind, now: EpochMs): number | undefined => {
    const key = `${sessionId} ${kind} ${Math.floor(now / dayMs)}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return count <= maxEventsPerDay ? count : undefined
  }
}

/**
 * A replaced token, from the network of the last refresh or from another one, or a token without
 * the key of its session.
 */
type ReuseKind = 'same_network' | 'other_network' | 'missing' | 'other_key'

const maxLeadMs = 5_000

/**
 * Creates the function that compares the clock of this instance with the time of a session's last
 * write. It reports and emits `clock_skew`, at most once a minute, for a session that was written
 * further in the future than five seconds and the tolerance: either this clock is slow, or the
 * clock of the instance that wrote the session is fast.
 */
export const createClockWatch =
  (emit: EmitEvent, reportDifference: (difference: Difference) => boolean, toleranceSeconds: number) =>
  ({ rotatedAt }: SessionRecord, now: EpochMs): void => {
    const aheadMs = rotatedAt - now
    if (aheadMs <= Math.max(maxLeadMs, toleranceSeconds * 1000)) return
    const [theirs, ours] = [new Date(rotatedAt), new Date(now)]
    if (reportDifference({ subject: 'last write of a session', theirs, own: 'clock', ours }))
      emit({ type: 'clock_skew', aheadMs, at: ours })
  }
