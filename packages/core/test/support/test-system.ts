import { createHash } from 'node:crypto'
import type { EpochMs, System } from '../../src/system.js'
import { nextTurn } from './next-turn.js'

/** 2026-01-01T00:00:00Z, a whole second. */
export const startOfTests: EpochMs = Date.UTC(2026, 0, 1)

/** A clock that stands still until a test moves it, and a source of bytes that never repeats. */
export interface TestSystem extends System {
  readonly advance: (milliseconds: number) => void
  readonly set: (instant: EpochMs) => void
  /** Returns the delays of the running timers, in milliseconds. Moving the clock does not fire them. */
  readonly timers: () => readonly number[]
  /** Fires every running timer. */
  readonly fireTimers: () => void
  /** Moves the clock from timer to timer, and waits for a turn of the event loop after each. */
  readonly runFor: (milliseconds: number) => Promise<void>
}

export const createTestSystem = (start: EpochMs = startOfTests): TestSystem => {
  let instant = start
  let generated = 0
  const timers = new Map<() => void, { readonly delayMs: number; readonly dueAt: EpochMs }>()
  return {
    now: () => instant,
    randomBytes: (size) => {
      generated += 1
      return createHash('sha512').update(`bytes ${generated}`).digest().subarray(0, size)
    },
    startTimer: (delayMs, callback) => {
      timers.set(callback, { delayMs, dueAt: instant + delayMs })
      return () => timers.delete(callback)
    },
    timers: () => [...timers.values()].map(({ delayMs }) => delayMs),
    fireTimers: () => {
      const due = [...timers.keys()]
      timers.clear()
      for (const callback of due) callback()
    },
    runFor: async (milliseconds) => {
      const end = instant + milliseconds
      for (;;) {
        await nextTurn()
        const [next] = [...timers].toSorted(([, a], [, b]) => a.dueAt - b.dueAt)
        if (next === undefined || next[1].dueAt > end) break
        instant = next[1].dueAt
        timers.delete(next[0])
        next[0]()
      }
      instant = end
    },
    advance: (milliseconds) => {
      instant += milliseconds
    },
    set: (next) => {
      instant = next
    },
  }
}
