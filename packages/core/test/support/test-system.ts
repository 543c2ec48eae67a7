import { createHash } from 'node:crypto'
import type { EpochMilliseconds, System } from '../../src/system.js'

/** 2026-01-01T00:00:00Z: a whole second, far from every border. */
export const startOfTests: EpochMilliseconds = Date.UTC(2026, 0, 1)

/** A clock and a source of bytes in the test's hand: time stands still until it is moved, and no two draws are alike. */
export interface TestSystem extends System {
  readonly advance: (milliseconds: number) => void
  readonly set: (instant: EpochMilliseconds) => void
}

export const createTestSystem = (start: EpochMilliseconds = startOfTests): TestSystem => {
  let instant = start
  let draws = 0
  return {
    now: () => instant,
    randomBytes: (size) => {
      draws += 1
      return createHash('sha512').update(`draw ${draws}`).digest().subarray(0, size)
    },
    advance: (milliseconds) => {
      instant += milliseconds
    },
    set: (next) => {
      instant = next
    },
  }
}
