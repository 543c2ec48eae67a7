/** Bounds how many callers use a resource at the same time. */
export interface Semaphore {
  /** Resolves when the caller may use the resource, in the order of the calls. */
  readonly acquire: () => Promise<void>
  /** Ends the use of the resource. */
  readonly release: () => void
}

/**
 * Creates a semaphore, for clients that hide their connections. A statement is sent only after its
 * call has acquired the semaphore, so an aborted call that still waits sends nothing.
 */
export const createSemaphore = (count: number): Semaphore => {
  const waiting: (() => void)[] = []
  let free = count
  return {
    acquire: async () => {
      if (free === 0) return new Promise((resolve) => waiting.push(resolve))
      free -= 1
      return undefined
    },
    release: () => {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    },
  }
}
