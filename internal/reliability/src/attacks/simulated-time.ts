import { setImmediate } from 'node:timers/promises'
import type { System } from '@jwt-auth/core'

/** A clock that jumps from timer to timer. */
export interface SimulatedTime extends Pick<System, 'now' | 'startTimer'> {
  readonly sleep: (milliseconds: number) => Promise<void>
  /** Runs every timer up to an instant, and everything that follows from a timer before the next one. */
  readonly runUntil: (instant: number) => Promise<void>
}

/** Creates a clock that starts at an instant. */
export const createSimulatedTime = (start: number): SimulatedTime => {
  const timers = new Set<{ readonly dueAt: number; readonly callback: () => void }>()
  let instant = start

  const startTimer: System['startTimer'] = (delayMs, callback) => {
    const timer = { dueAt: instant + delayMs, callback }
    timers.add(timer)
    return () => timers.delete(timer)
  }

  // Among timers for one instant, the first one that was started.
  const findNext = () =>
    [...timers].reduce<{ readonly dueAt: number; readonly callback: () => void } | undefined>(
      (next, timer) => (next === undefined || timer.dueAt < next.dueAt ? timer : next),
      undefined,
    )

  return {
    now: () => instant,
    startTimer,
    sleep: (milliseconds) =>
      new Promise((resolve) => {
        startTimer(milliseconds, resolve)
      }),
    runUntil: async (end) => {
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
