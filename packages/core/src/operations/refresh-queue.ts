import type { RunInTime } from '../system.js'

/**
 * Creates the function that runs the refreshes of one session one after the other, so that a burst
 * of one client does not lose one swap after the other. A refresh waits until the refresh before it
 * has settled, but no longer than the deadline: a hanging storage must not add up their waits.
 */
export const createRefreshQueue = (runInTime: RunInTime) => {
  const last = new Map<string, Promise<unknown>>()
  return async <T>(selectorHash: string, refresh: () => Promise<T>): Promise<T> => {
    const previous = last.get(selectorHash)
    const result = previous === undefined ? refresh() : runInTime(() => previous).then(refresh, refresh)
    const settled = result.then(ignore, ignore)
    last.set(selectorHash, settled)
    try {
      return await result
    } finally {
      if (last.get(selectorHash) === settled) last.delete(selectorHash)
    }
  }
}

const ignore = (): void => {}
