import { createHash } from 'node:crypto'
import type { EpochMs } from '@jwt-auth/core/adapter'
import type { System } from '@jwt-auth/core/internal'
import { createTestClock, type TestClock } from './test-clock.js'

/** 2026-01-01T00:00:00Z, a whole second. */
export const startOfTests: EpochMs = Date.UTC(2026, 0, 1)

/** A clock that stands still until a test moves it, and a source of bytes that never repeats. */
export interface TestSystem extends System, Pick<TestClock, 'set' | 'stepMs' | 'timers' | 'fireTimers' | 'runFor'> {
  readonly advance: TestClock['advanceMs']
}

export const createTestSystem = (start: EpochMs = startOfTests): TestSystem => {
  const clock = createTestClock(start)
  let generated = 0
  return {
    ...clock,
    advance: clock.advanceMs,
    randomBytes: (size) => {
      generated += 1
      return createHash('sha512').update(`bytes ${generated}`).digest().subarray(0, size)
    },
  }
}
