import type { System } from '../system.js'

/**
 * Runs a call with a deadline. Rejects at the deadline with an error that names the limit, and aborts the signal that it passed to
 * the call. Otherwise settles as the call does.
 */
export type RunInTime = <T>(call: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** Creates the function that runs calls with a deadline. The error of a call that timed out names `limit`. */
export const createDeadline =
  (timeoutMs: number, startTimer: System['startTimer'], limit = 'option `storageTimeoutMs`'): RunInTime =>
  (call) =>
    new Promise((resolve, reject) => {
      const controller = new AbortController()
      const answer = Promise.resolve(call(controller.signal))
      const stopTimer = startTimer(timeoutMs, () => {
        const timeout = new Error(`jwt-auth: no answer within ${timeoutMs} ms (${limit}).`)
        controller.abort(timeout)
        reject(timeout)
      })
      answer.then(resolve, reject).finally(stopTimer)
    })
