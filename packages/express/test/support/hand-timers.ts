import type { System } from '@jwt-auth/core'

/** Timers that fire when the test says so. */
export interface HandTimers {
  readonly startTimer: System['startTimer']
  /** Settles when a timer of this length has been started. */
  readonly started: (delayMs: number) => Promise<void>
  /** Fires every running timer of this length. */
  readonly fire: (delayMs: number) => void
  /** The lengths of those that run. */
  readonly running: () => readonly number[]
}

export const createHandTimers = (): HandTimers => {
  const timers = new Map<() => void, number>()
  const waiting: { readonly delayMs: number; readonly settle: () => void }[] = []
  return {
    startTimer: (delayMs, callback) => {
      timers.set(callback, delayMs)
      for (const wait of waiting) if (wait.delayMs === delayMs) wait.settle()
      return () => timers.delete(callback)
    },
    started: (delayMs) =>
      new Promise((settle) => {
        waiting.push({ delayMs, settle })
      }),
    fire: (delayMs) => {
      for (const [callback, delay] of timers) {
        if (delay !== delayMs) continue
        timers.delete(callback)
        callback()
      }
    },
    running: () => [...timers.values()],
  }
}
