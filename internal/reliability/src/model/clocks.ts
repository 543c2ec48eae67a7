import { currentOperation } from './held-calls.js'

/** The clocks of both instances, in milliseconds since 1970. */
export interface Clocks {
  /** Returns the time on the clock of an instance. */
  readonly timeOf: (instance: string) => number
  /** Returns the same as `timeOf`, and remembers that the current operation has seen it. */
  readonly readFor: (instance: string) => number
  /** Returns every time that an operation has seen. */
  readonly seenBy: (operation: number) => readonly number[]
  /** Returns the time on the clock that is ahead. */
  readonly latest: () => number
  readonly advance: (milliseconds: number) => void
  /** Sets the clock of `B`. */
  readonly setLead: (leadMs: number) => void
}

const startTime = Date.UTC(2026, 0, 1)

/**
 * Creates clocks that only the test moves. The clock of `B` is ahead of the clock of `A`, at first
 * by `firstLeadMs`.
 */
export const createClocks = (firstLeadMs: number): Clocks => {
  const seen = new Map<number, Set<number>>()
  let now = startTime
  let leadMs = firstLeadMs

  const timeOf = (instance: string): number => (instance === 'B' ? now + leadMs : now)

  return {
    timeOf,
    readFor: (instance) => {
      const time = timeOf(instance)
      const operation = currentOperation.getStore()
      if (operation !== undefined) seen.set(operation, (seen.get(operation) ?? new Set()).add(time))
      return time
    },
    seenBy: (operation) => [...(seen.get(operation) ?? [])],
    latest: () => now + Math.max(0, leadMs),
    advance: (milliseconds) => {
      now += milliseconds
    },
    setLead: (next) => {
      leadMs = next
    },
  }
}
