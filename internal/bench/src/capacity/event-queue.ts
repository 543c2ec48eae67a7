/** The clock and the future events of a simulation, in microseconds. */
export type EventQueue = ReturnType<typeof createEventQueue>

/** Creates an event queue. */
export const createEventQueue = () => {
  const latestFirst: { readonly moment: number; readonly run: () => void }[] = []
  let now = 0
  return {
    now: (): number => now,
    /** Calls `run` at a moment. Events of one moment run in the order in which they were added. */
    at: (moment: number, run: () => void): void => {
      const place = latestFirst.findLastIndex((event) => event.moment > moment) + 1
      latestFirst.splice(place, 0, { moment, run })
    },
    /** Runs all events until a moment. */
    runUntil: (end: number): void => {
      for (let next = latestFirst.pop(); next !== undefined && next.moment <= end; next = latestFirst.pop()) {
        now = next.moment
        next.run()
      }
    },
  }
}

/** Creates a generator of numbers from 0 to 1 (mulberry32): the same numbers for the same seed. */
export const createRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
