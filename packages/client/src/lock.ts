import type { Environment } from './environment.js'

/** Runs one call after the other: in this tab, and in all tabs where the platform has locks. */
export type RunLocked = <T>(run: () => Promise<T>) => Promise<T>

// A tab that the system suspended may hold the lock. The server leads concurrent refreshes to the same tokens.
const patienceMs = 20_000

export const createLock = (name: string, { locks, startTimer }: Environment): RunLocked => {
  let last: Promise<unknown> = Promise.resolve()

  const runInTurn: RunLocked = (run) => {
    const result = last.then(run)
    last = result.catch(() => {})
    return result
  }

  if (!locks) return runInTurn
  return async (run) => {
    const controller = new AbortController()
    const stopTimer = startTimer(patienceMs, () => controller.abort())
    let isGranted = false
    try {
      return await locks.request(name, { signal: controller.signal }, () => {
        isGranted = true
        stopTimer()
        return run()
      })
    } catch (failure) {
      if (isGranted) throw failure
      return runInTurn(run)
    } finally {
      stopTimer()
    }
  }
}
