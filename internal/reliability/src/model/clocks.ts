import { currentOperation } from './held-calls.js'

/** The clocks of both instances, in milliseconds since 1970. */
export type Clocks = ReturnType<typeof createClocks>

const startTime = Date.UTC(2026, 0, 1)

/**
 * Creates clocks that only the test moves. The clock of `B` is ahead of the clock of `A`, at first
 * by `firstLeadMs`.
 */
export const createClocks = (firstLeadMs: number) => {
  const seen = new Map<number, Set<number>>()
  let now = startTime
  let leadMs = firstLeadMs

  const timeOf = (instance: string): number => (instance === 'B' ? now + leadMs : now)

  return {
    /** Returns the time on the clock of an instance. */
    timeOf,
    /** Returns the same as `timeOf`, and remembers that the current operation has seen it. */
    readFor: (instance: string): number => {
      const time = timeOf(instance)
      const operation = currentOperation.getStore()
      if (operation !== undefined) seen.set(operation, (seen.get(operation) ?? new Set()).add(time))
      return time
    },
    /** Returns every time that an operation has seen. */
    seenBy: (operation: number): readonly number[] => [...(seen.get(operation) ?? [])],
    /** Returns the time on the clock that is ahead. */
    latest: (): number => now + Math.max(0, leadMs),
    advance: (milliseconds: number): void => {
      now += milliseconds
    },
    /** Sets the clock of `B`. */
    setLead: (next: number): void => {
      leadMs = next
    },
  }
}
