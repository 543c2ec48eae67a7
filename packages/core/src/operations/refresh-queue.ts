// More would lose one swap after the other. Fewer would make a burst wait long for a slow storage.
const maxRunning = 4

/**
 * Creates the function that runs the refreshes of one session, at most four at a time, in the order
 * of their calls. After a failure, all that wait run: while the storage does not respond, each of
 * them fails at its own deadline, and their waits do not add up.
 */
export const createRefreshQueue = () => {
  const lines = new Map<string, { running: number; readonly waiting: (() => void)[] }>()
  return async <T>(selectorHash: string, refresh: () => Promise<T>): Promise<T> => {
    const line = lines.get(selectorHash) ?? { running: 0, waiting: [] }
    lines.set(selectorHash, line)
    if (line.running < maxRunning) line.running += 1
    else await new Promise<void>((resolve) => line.waiting.push(resolve))
    // Each refresh that starts takes the place of one that has ended.
    let starting = 1
    try {
      return await refresh()
    } catch (failure) {
      starting = line.waiting.length
      throw failure
    } finally {
      const started = line.waiting.splice(0, starting)
      line.running += started.length - 1
      for (const start of started) start()
      if (line.running === 0) lines.delete(selectorHash)
    }
  }
}
