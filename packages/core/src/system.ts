import { randomBytes } from 'node:crypto'

/** An instant: whole milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number

/**
 * Where time and randomness enter. Everything else takes them from here, so that a test can hand in its own.
 */
export interface System {
  /** The present instant. The clocks of a service's instances are expected within a second or two of each other. */
  readonly now: () => EpochMs
  /** `size` bytes that nobody can guess. */
  readonly randomBytes: (size: number) => Buffer
  /**
   * Calls back once, `delayMs` milliseconds from now, unless the returned function is called before. Keeps no process alive.
   */
  readonly startTimer: (delayMs: number, callback: () => void) => () => void
}

/** The machine's own clock, timers and cryptographic randomness. */
export const machineSystem: System = {
  now: () => Date.now(),
  randomBytes,
  startTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs).unref()
    return () => clearTimeout(timer)
  },
}
