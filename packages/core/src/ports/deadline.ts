import type { System } from '../system.js'

/**
 * Runs a call with a deadline, and settles as the call does. At the deadline it rejects with a {@link TimeoutError}.
 *
 * The call can ask for a signal that aborts at the deadline. The signal is created only then, because creating one takes half as long as a
 * guarded request.
 */
export type RunInTime = <T>(call: (getSignal: () => AbortSignal) => Promise<T>) => Promise<T>

/** A call did not settle before its deadline. */
export class TimeoutError extends Error {}

/** Creates the function that runs calls with a deadline. Its errors name `limit`. */
export const createDeadline =
  (timeoutMs: number, startTimer: System['startTimer'], limit = 'option `storageTimeoutMs`'): RunInTime =>
  (call) =>
    new Promise((resolve, reject) => {
      let controller: AbortController | undefined
      const getController = (): AbortController => {
        controller ??= new AbortController()
        return controller
      }
      const answer = Promise.resolve(call(() => getController().signal))
      const stopTimer = startTimer(timeoutMs, () => {
        const timeout = new TimeoutError(`jwt-auth: no answer within ${timeoutMs} ms (${limit}).`)
        getController().abort(timeout)
        reject(timeout)
      })
      answer.then(
        (value) => {
          stopTimer()
          resolve(value)
        },
        (failure: unknown) => {
          stopTimer()
          reject(failure)
        },
      )
    })
