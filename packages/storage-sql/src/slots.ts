/** A limit of how many callers use a resource at the same time. */
export interface Slots {
  /** Takes a slot. Resolves when one is free. Waiting callers get slots in the order of their calls. */
  readonly take: () => Promise<void>
  /** Gives a slot back. */
  readonly give: () => void
}

/**
 * Creates a number of slots, for clients that hide their connections. A statement is sent only after its call has a slot, so an
 * aborted call that still waits sends nothing.
 */
export const createSlots = (count: number): Slots => {
  const waiting: (() => void)[] = []
  let free = count
  return {
    take: async () => {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve))
      free -= 1
      return undefined
    },
    give: () => {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    },
  }
}
