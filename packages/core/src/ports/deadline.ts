import { type Awaitable, isPromise } from '../awaitable.js'
import type { System } from '../system.js'

/** Runs a call that must end in time; rejects at the deadline, and aborts what it handed out. Answers at once where the call does. */
export type RunInTime = <T>(call: (signal: AbortSignal) => Awaitable<T>) => Awaitable<T>

/** Begins the time within which an answer must be there; returns what stops it. When it is over, `giveUp` is told why. */
export type StartDeadline = (giveUp: (reason: Error) => void) => () => void

/** Makes the function that begins the time for an answer; `limit` is how the reason names what sets it. */
export const createDeadlineStarter =
  (timeoutMs: number, startTimer: System['startTimer'], limit = 'option `storageTimeoutMs`'): StartDeadline =>
  (giveUp) =>
    startTimer(timeoutMs, () => giveUp(new Error(`jwt-auth: no answer within ${timeoutMs} ms (${limit}).`)))

/** Makes a deadline for calls, such as the one that every call of a service to its storage has. */
export const createDeadline = (...time: Parameters<typeof createDeadlineStarter>): RunInTime => {
  const startDeadline = createDeadlineStarter(...time)
  // A call that answered at once has no more use for its signal, and a signal costs more than such a call.
  let spare: AbortController | undefined

  const waitInTime = <T>(answer: Promise<T>, controller: AbortController): Promise<T> =>
    new Promise((resolve, reject) => {
      const stopTimer = startDeadline((late) => {
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
