import type { ClientSettings } from './environment.js'

/** Runs one call after the other: in this tab, and in all tabs where the platform has locks. */
export type RunLocked = <T>(run: () => Promise<T>) => Promise<T>

// A tab that the system suspended may hold the lock. A call then runs without the lock. This is
// safe, because the server responds to concurrent refreshes with the same tokens.
const patienceMs = 20_000

export const createLock = ({ name, locks, startTimer }: ClientSettings): RunLocked => {
  let last: Promise<unknown> = Promise.resolve()

  const runInAllTabs = async <T>(run: () => Promise<T>): Promise<T> => {
    let result: Promise<T> | undefined
    const controller = new AbortController()
    const stopTimer = startTimer(patienceMs, () => controller.abort())
    const runOnce = () => {
      stopTimer()
      result ??= run()
      return result
    }
    // Rejects as the call does, or because the lock was not granted.
    await locks?.request(name, { signal: controller.signal }, runOnce).catch(() => {})
    return runOnce()
  }

  return (run) => {
    const result = last.then(() => runInAllTabs(run))
    last = result.catch(() => {})
    return result
  }
}
