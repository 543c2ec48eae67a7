/** Time in the test's own hand. */
export interface Clock {
  readonly now: () => number
  readonly advanceSeconds: (seconds: number) => void
}

/** The instant every test begins at, a whole second. */
export const startOfTime = Date.UTC(2030, 0, 2, 3, 4, 5)

export const createClock = (start = startOfTime): Clock => {
  let instant = start
  return {
    now: () => instant,
    advanceSeconds: (seconds) => {
      instant += Math.round(seconds * 1000)
    },
  }
}
