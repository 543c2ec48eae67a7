/** The clock of a device: the time that a user can set, and the time since the start. */
export interface DeviceClock {
  /** Milliseconds since 1970. */
  readonly wallMs: number
  /** Milliseconds since the device started, without the time of its sleep. */
  readonly monotonicMs: number
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

/** The time of a page, which stands still until a test moves it. */
export interface VirtualTime {
  /** Sets the clock, and calls the callbacks of the timers that are due. */
  readonly set: (clock: DeviceClock) => void
  /** Returns when the next timer is due, on the monotonic clock. */
  readonly nextDueMs: () => number | undefined
}

/** The functions of a page that the page's time replaces. */
export interface TimedPage {
  readonly performance: object
  setTimeout: (callback: () => void, delayMs?: number) => unknown
  clearTimeout: (timer: number | undefined) => void
}

/** Replaces the clocks and the timers of a page. */
export const installVirtualTime = (page: TimedPage): VirtualTime => {
  const timers = new Map<number, Timer>()
  let lastTimer = 0
  let clock: DeviceClock = { wallMs: 0, monotonicMs: 0 }

  Date.now = () => clock.wallMs
  Object.assign(page.performance, { now: () => clock.monotonicMs })
  page.setTimeout = (callback, delayMs = 0) => {
    timers.set(++lastTimer, { dueMs: clock.monotonicMs + delayMs, callback })
    return lastTimer
  }
  page.clearTimeout = (timer) => {
    if (timer !== undefined) timers.delete(timer)
  }

  return {
    set: (next) => {
      clock = next
      const due = [...timers].filter(([, { dueMs }]) => dueMs <= clock.monotonicMs)
      for (const [timer, { callback }] of due.sort(([, one], [, other]) => one.dueMs - other.dueMs)) {
        // A callback may cancel a timer that is due too.
        if (timers.delete(timer)) callback()
      }
    },
    nextDueMs: () => (timers.size === 0 ? undefined : Math.min(...[...timers.values()].map(({ dueMs }) => dueMs))),
  }
}
