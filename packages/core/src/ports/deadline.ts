import type { System } from '../system.js'

/** Runs a call that must end in time; rejects at the deadline, and aborts what it handed out. */
export type RunInTime = <T>(call: (signal: AbortSignal) => Promise<T>) => Promise<T>

/** Makes the one deadline that every call of a service to its storage has. */
export const createDeadline =
  (timeoutMs: number, startTimer: System['startTimer']): RunInTime =>
  (call) =>
    new Promise((resolve, reject) => {
      const controller = new AbortController()
      const stopTimer = startTimer(timeoutMs, () => {
        const late = new Error(`jwt-auth: no answer within ${timeoutMs} ms (option \`storageTimeoutMs\`).`)
        controller.abort(late)
        reject(late)
      })
      call(controller.signal).then(resolve, reject).finally(stopTimer)
    })
