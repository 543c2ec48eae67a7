import { type Awaitable, isPromise } from '../awaitable.js'
import type { System } from '../system.js'

/** Runs a call that must end in time; rejects at the deadline, and aborts what it handed out. Answers at once where the call does. */
export type RunInTime = <T>(call: (signal: AbortSignal) => Awaitable<T>) => Awaitable<T>

/** How errors name the limit of calls to storage. */
export const storageTimeLimit = 'option `storageTimeoutMs`'

/** Begins the time within which an answer must be there; returns what stops it. When it is over, `giveUp` is told why. */
export type StartDeadline = (giveUp: (reason: Error) => void) => () => void

/** Makes a deadline for calls, such as the one that every call of a service to its storage has. */
export const createDeadline = (
  timeoutMs: number,
  startTimer: System['startTimer'],
  limit = storageTimeLimit,
): RunInTime => {
  // A call that answered at once has no more use for its signal, and a signal costs more than such a call.
  let spare: AbortController | undefined

  const waitInTime = <T>(answer: Promise<T>, controller: AbortController): Promise<T> =>
    new Promise((resolve, reject) => {
      const stopTimer = startTimer(timeoutMs, () => {
        const late = toLateError(timeoutMs, limit)
        controller.abort(late)
        reject(late)
      })
      answer.then(resolve, reject).finally(stopTimer)
    })

  return (call) => {
    const controller = spare ?? new AbortController()
    spare = undefined
    const answer = call(controller.signal)
    if (isPromise(answer)) return waitInTime(answer, controller)
    spare = controller
    return answer
  }
}

/** Says that no answer came in time, and by which limit. */
export const toLateError = (timeoutMs: number, limit: string): Error =>
  new Error(`jwt-auth: no answer within ${timeoutMs} ms (${limit}).`)
