import { randomBytes } from 'node:crypto'

/** An instant: whole milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number

/**
 * The clock, timers and randomness of a service. All other code receives them from here, so that
 * tests can pass their own.
 */
export interface System {
  /**
   * Returns the current instant. The clocks of a service's instances should differ by a second or
   * two at most.
   */
  readonly now: () => EpochMs
  /** Returns `size` bytes that nobody can guess. */
  readonly randomBytes: (size: number) => Buffer
  /**
   * Calls `callback` once, after `delayMs` milliseconds. The returned function cancels the call.
   * The timer does not keep the process running.
   */
  readonly startTimer: (delayMs: number, callback: () => void) => () => void
}

/** The clock, the timers and the cryptographic randomness of this machine. */
export const machineSystem: System = {
  now: () => Date.now(),
  randomBytes,
  startTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

/** The options of a call that has a deadline. */
export interface CallOptions {
  /**
   * Aborts at the deadline of the caller, which then ignores the result. A statement that is still
   * waiting to be sent must not be sent. A statement in flight is cancelled, and its connection is
   * not used again. The call rejects without waiting for the backend.
   * @default the call has no deadline
   */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs a call with a deadline. Calls `call` synchronously and settles as its promise does, or
 * rejects with a {@link TimeoutError} at the deadline.
 *
 * The call can ask for a signal that aborts at the deadline. The signal is created only then,
 * because creating one takes half as long as a guarded request.
 */
export type RunInTime = <T>(call: (getSignal: () => AbortSignal) => Promise<T>) => Promise<T>

/** A call did not settle before its deadline. */
export class TimeoutError extends Error {}

/** Creates the function that runs calls with a deadline. `limit` names the deadline in errors. */
export const createDeadline =
  (timeoutMs: number, startTimer: System['startTimer'], limit = 'option `storageTimeoutMs`'): RunInTime =>
  (call) =>
    new Promise((resolve, reject) => {
      let controller: AbortController | undefined
      const getController = (): AbortController => {
        controller ??= new AbortController()
        return controller
      }
      const result = Promise.resolve(call(() => getController().signal))
      const stopTimer = startTimer(timeoutMs, () => {
        const timeout = new TimeoutError(`jwt-auth: no response within ${timeoutMs} ms (${limit}).`)
        getController().abort(timeout)
        reject(timeout)
      })
      result.finally(stopTimer).then(resolve, reject)
    })

/**
 * Calls `callback` once, after the callbacks of all sockets that are readable now. SQLite works in
 * this thread, and its promises settle immediately: without such a pause, no request would run
 * during long work.
 */
export const runAfterInput = (callback: () => void): void => void setImmediate(callback)
