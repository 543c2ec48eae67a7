import type { System } from '@jwt-auth/core'
import { createTestClock } from '@jwt-auth/test-support/test-clock'

/** A clock that jumps from timer to timer. */
export interface SimulatedTime extends Pick<System, 'now' | 'startTimer'> {
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Runs every timer up to an instant, and everything that follows from a timer before the next one. */
  readonly runUntil: (instant: number) => Promise<void>
}

/** Creates a clock that starts at an instant. */
export const createSimulatedTime = (start: number): SimulatedTime => {
  const { now, startTimer, runFor } = createTestClock(start)
  return {
    now,
    startTimer,
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        startTimer(milliseconds, resolve)
      }),
    runUntil: (instant) => runFor(instant - now()),
  }
}
