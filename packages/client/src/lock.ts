import type { ClientSettings } from './environment.js'

/** Runs one call after the other: in this tab, and in all tabs where the platform has locks. */
export type RunLocked = <T>(run: () => Promise<T>) => Promise<T>

export const createLock = ({ name, page, startTimer }: ClientSettings): RunLocked => {
  const locks = page?.navigator.locks
  let last: Promise<unknown> = Promise.resolve()

  const runInAllTabs = <T>(run: () => Promise<T>): Promise<T> => {
    if (!locks) return run()
    let result: Promise<T> | undefined
    const controller = new AbortController()
    // A tab that the system suspended may hold the lock. A call then runs without the lock. This is
    // safe, because the server responds to concurrent refreshes with the same tokens.
    const stopTimer = startTimer(20_000, () => controller.abort())
    const runOnce = () => {
      stopTimer()
      result ??= run()
      return result
    }
    return locks.request(name, controller, runOnce).catch(runOnce)
  }

  return (run) => {
    const result = last.then(() => runInAllTabs(run))
    last = result.catch(() => {})
    return result
  }
}
