import { AsyncResource } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { EpochMs } from '@jwt-auth/core/adapter'

export { withSystem } from '@jwt-auth/core/internal'

/**
 * A clock that stands still until a test moves it, and timers that fire only when a test fires
 * them.
 */
export type TestClock = ReturnType<typeof createTestClock>

/** The instant at which a test clock starts: a whole second. */
export const startOfTime = Date.UTC(2030, 0, 2, 3, 4, 5)

interface Timer {
  readonly delayMs: number
  readonly dueAt: number
  readonly callback: () => void
}

/** Creates the clock of one test. */
export const createTestClock = (start = startOfTime) => {
  let [instant, offsetMs] = [start, 0]
  const timers = new Set<Timer>()
  let waiting: readonly { readonly delayMs: number; readonly resolve: () => void }[] = []

  // Of timers that are due at one instant, the one that was started first.
  const findNext = () =>
    [...timers].reduce<Timer | undefined>(
      (next, timer) => (next === undefined || timer.dueAt < next.dueAt ? timer : next),
      undefined,
    )

  return {
    /** Returns the present instant in milliseconds since 1970. */
    now: () => instant + offsetMs,
    /** Returns the milliseconds by which the clock was moved, without the steps of `stepMs`. */
    monotonicMs: () => instant - start,
    /** Sets the clock forward or back, as an administrator does. No time passes. */
    stepMs: (milliseconds: number): void => {
      offsetMs += milliseconds
    },
    /** Moves the clock. Timers do not fire. */
    advanceMs: (milliseconds: number): void => {
      instant += milliseconds
    },
    /** Moves the clock by seconds, rounded to a whole millisecond. Timers do not fire. */
    advanceSeconds: (seconds: number): void => {
      instant += Math.round(seconds * 1_000)
    },
    set: (next: number): void => {
      instant = next - offsetMs
    },
    /** Starts a timer. Returns a function that stops the timer. */
    startTimer: (delayMs: number, callback: () => void): (() => void) => {
      // As with the timers of Node, the callback runs in the async context of this call.
      const timer = { delayMs, dueAt: instant + delayMs, callback: AsyncResource.bind(callback) }
      timers.add(timer)
      for (const one of waiting) if (one.delayMs === delayMs) one.resolve()
      waiting = waiting.filter((one) => one.delayMs !== delayMs)
      return () => timers.delete(timer)
    },
    /** Returns the delays of the timers that run, in milliseconds. */
    timers: (): readonly number[] => [...timers].map(({ delayMs }) => delayMs),
    /** Resolves when the next timer of this delay is started. */
    timerStarted: (delayMs: number) =>
      new Promise<void>((resolve) => {
        waiting = [...waiting, { delayMs, resolve }]
      }),
    /** Fires the timers that run, without moving the clock: all, or those of one delay. */
    fireTimers: (delayMs?: number): void => {
      const fired = [...timers].filter((timer) => delayMs === undefined || timer.delayMs === delayMs)
      for (const timer of fired) timers.delete(timer)
      for (const { callback } of fired) callback()
    },
    /** Moves the clock from timer to timer, and waits for a turn of the event loop after each. */
    runFor: async (milliseconds: number): Promise<void> => {
      const end = instant + milliseconds
      await setImmediate()
      for (let next = findNext(); next !== undefined && next.dueAt <= end; next = findNext()) {
        timers.delete(next)
        instant = next.dueAt
        next.callback()
        await setImmediate()
      }
      instant = end
    },
  }
}

/** 2026-01-01T00:00:00Z, a whole second. */
export const startOfTests: EpochMs = Date.UTC(2026, 0, 1)

/** A clock that stands still until a test moves it, and a source of bytes that never repeats. */
export type TestSystem = ReturnType<typeof createTestSystem>

export const createTestSystem = (start: EpochMs = startOfTests) => {
  const clock = createTestClock(start)
  let generated = 0
  return {
    ...clock,
    advance: clock.advanceMs,
    randomBytes: (size: number) => {
      generated += 1
      return createHash('sha512').update(`bytes ${generated}`).digest().subarray(0, size)
    },
  }
}

/**
 * The `startTimer` of a service, which shortens the delays of its refused logins to
 * a tenth: timers of at most five seconds fire early, and all others on time. The service needs a
 * `callTimeoutMs` of more than five seconds.
 */
export const shortenRefusalDelays = (delayMs: number, callback: () => void): (() => void) => {
  const timer = setTimeout(callback, delayMs <= 5_000 ? delayMs / 10 : delayMs).unref()
  return () => clearTimeout(timer)
}
