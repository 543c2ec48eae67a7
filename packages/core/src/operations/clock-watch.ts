import type { SessionRecord } from '../ports/session-storage.js'
import type { EpochMs } from '../system.js'
import type { EmitEvent } from './emit-event.js'

/** Compares the clock of this instance with the time of a session's last write. */
export type WatchClock = (session: SessionRecord, now: EpochMs) => void

const greatestLeadMs = 5_000
const quietMs = 60_000

/**
 * Creates the watch of one instance. Announces `clock_skew`, at most once a minute, when a session was written more than five seconds in the
 * future: then this clock is slow, or the clock of the instance that wrote it is fast.
 */
export const createClockWatch = (emit: EmitEvent): WatchClock => {
  let announcedAt = Number.NEGATIVE_INFINITY
  return ({ rotatedAt }, now) => {
    const aheadMs = rotatedAt - now
    // Both ways: a clock that is set back must not silence the event until it has caught up.
    if (aheadMs <= greatestLeadMs || Math.abs(now - announcedAt) < quietMs) return
    announcedAt = now
    emit({ type: 'clock_skew', aheadMs, at: new Date(now) })
  }
}
