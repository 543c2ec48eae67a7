import type { System } from '../system.js'

/** Runs a call that must end in time; rejects at the deadline, and aborts what it handed out. */
export type RunInTime = <T>(call: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** Makes a deadline for calls, such as the one that every call of a service to its storage has. */
export const createDeadline =
  (timeoutMs: number, startTimer: System['startTimer'], limit = 'option `storageTimeoutMs`'): RunInTime =>
  (call) =>
    new Promise((resolve, reject) => {
      const controller = new AbortController()
      const stopTimer = startTimer(timeoutMs, () => {
        const late = new Error(`jwt-auth: no answer within ${timeoutMs} ms (${limit}).`)
        controller.abort(late)
        reject(late)
      })
      call(controller.signal).then(resolve, reject).finally(stopTimer)
    })
