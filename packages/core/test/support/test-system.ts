import { createHash } from 'node:crypto'
import type { EpochMs, System } from '../../src/system.js'
import { nextTurn } from './next-turn.js'

/** 2026-01-01T00:00:00Z: a whole second, far from every border. */
export const startOfTests: EpochMs = Date.UTC(2026, 0, 1)

/** A clock and a source of bytes in the test's hand: time stands still until it is moved, and no two draws are alike. */
export interface TestSystem extends System {
  readonly advance: (milliseconds: number) => void
  readonly set: (instant: EpochMs) => void
  /** The delays of the timers that run, in milliseconds. They stay apart from the clock: a test fires them by hand. */
  readonly timers: () => readonly number[]
  /** Fires every timer that runs. */
  readonly fireTimers: () => void
  /** Moves the clock from timer to timer, and lets everything run that a timer sets off before the next one fires. */
  readonly runFor: (milliseconds: number) => Promise<void>
}

export const createTestSystem = (start: EpochMs = startOfTests): TestSystem => {
  let instant = start
  let draws = 0
  const timers = new Map<() => void, { readonly delayMs: number; readonly dueAt: EpochMs }>()
  return {
    now: () => instant,
    randomBytes: (size) => {
      draws += 1
      return createHash('sha512').update(`draw ${draws}`).digest().subarray(0, size)
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
