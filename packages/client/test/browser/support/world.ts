/** The time of a scenario: of the server, the network and the device. It stands still until the scenario moves it. */
export interface World {
  /** Returns the milliseconds since the start of the scenario. */
  readonly elapsedMs: () => number
  /** Returns the time of the server in milliseconds since 1970. */
  readonly now: () => number
  readonly moveTo: (elapsedMs: number) => void
}

const start = Date.UTC(2030, 0, 2, 3, 4, 5)

export const createWorld = (): World => {
  let elapsed = 0
  return {
    elapsedMs: () => elapsed,
    now: () => start + elapsed,
    moveTo: (elapsedMs) => {
      elapsed = elapsedMs
    },
  }
}
