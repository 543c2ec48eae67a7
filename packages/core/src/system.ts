import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'

/** An instant: whole milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number

/**
 * The clocks, timers and randomness of a service. All other code receives them from here, so that
 * tests can pass their own.
 */
export interface System {
  /**
   * Returns the current instant, for what is stored or sent. The clocks of a service's instances
   * should differ by a second or two at most.
   */
  readonly now: () => EpochMs
  /**
   * Returns milliseconds on a clock that nobody can set, to measure durations.
   */
  readonly monotonicMs: () => number
  /** Returns `size` bytes that nobody can guess. */
  readonly randomBytes: (size: number) => Buffer
  /**
   * Calls `callback` once, after `delayMs` milliseconds. The returned function cancels the call.
   * The timer does not keep the process running.
   */
  readonly startTimer: (delayMs: number, callback: () => void) => () => void
}

/** The clocks, the timers and the cryptographic randomness of this machine. */
export const machineSystem: System = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  randomBytes,
  startTimer: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs).unref()
    return () => clearTimeout(timer)
  },
}

// A registered name, so that every copy of this package reads it.
const systemKey = Symbol.for('@jwt-auth/core.system')

/**
 * Returns an option for tests, which no application sees: spread it into the options of a service
 * or a hashing queue. Omitted members are those of {@link machineSystem}, and `monotonicMs` is
 * `now`.
 */
export const withSystem = (system: Partial<System>): object => ({ [systemKey]: system })

/** Returns the system of options: that of {@link withSystem}, or that of the machine. */
export const readSystem = (options: object): System => {
  const given: Partial<System> | undefined = Reflect.get(options, systemKey)
  return { ...machineSystem, ...(given?.now && { monotonicMs: given.now }), ...given }
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
 * The options have a signal that aborts at the deadline. The signal is created when it is read,
 * because creating one takes half as long as a guarded request.
 */
export type RunInTime = <T>(call: (options: { readonly signal: AbortSignal }) => Promise<T>) => Promise<T>

const deadlineKey = Symbol('jwt-auth.deadline')

/** A deadline, with listeners that need no signal. */
interface Deadline {
  readonly listeners: Set<(reason: unknown) => void>
  controller: AbortController | undefined
  timeout: TimeoutError | undefined
}

/** The options of {@link RunInTime}. */
interface DeadlineOptions extends CallOptions {
  readonly signal: AbortSignal
  readonly [deadlineKey]: Deadline
}

// A property of the object, so that a copy of the options has the signal too. A getter in an object
// literal would be a new function for each call, which takes several times as long.
const deadlineSignal = {
  enumerable: true,
  get(this: DeadlineOptions): AbortSignal {
    const deadline = this[deadlineKey]
    deadline.controller ??= new AbortController()
    if (deadline.timeout !== undefined) deadline.controller.abort(deadline.timeout)
    return deadline.controller.signal
  },
}

/**
 * Calls `listener` when the signal of a call aborts, and immediately if it has. Returns the
 * function that removes the listener. Costs less than reading the signal.
 */
export const onAbort = (options: CallOptions | undefined, listener: (reason: unknown) => void): (() => void) => {
  // The options of a caller may have a deadline. Their type does not say so.
  const deadline = (options as Partial<DeadlineOptions> | undefined)?.[deadlineKey]
  if (deadline !== undefined) {
    if (deadline.timeout === undefined) deadline.listeners.add(listener)
    else listener(deadline.timeout)
    return () => deadline.listeners.delete(listener)
  }
  const signal = options?.signal
  const abort = (): void => listener(signal?.reason)
  if (signal?.aborted) abort()
  else signal?.addEventListener('abort', abort, { once: true })
  return () => signal?.removeEventListener('abort', abort)
}

/** A call did not settle before its deadline. */
export class TimeoutError extends Error {}

// Timers are this late only if the event loop was blocked.
const stallMs = 100

/**
 * Creates the function that runs calls with a deadline. If the event loop was blocked at the
 * deadline, a call has the same time once more. `limit` names the deadline in errors.
 */
export const createDeadline =
  (timeoutMs: number, { startTimer, monotonicMs }: System, limit = 'option `callTimeoutMs`'): RunInTime =>
  (call) =>
    new Promise((resolve, reject) => {
      const startedAt = monotonicMs()
      const deadline: Deadline = { listeners: new Set(), controller: undefined, timeout: undefined }
      // TypeScript does not see the property that is defined.
      const options = Object.defineProperty({ [deadlineKey]: deadline }, 'signal', deadlineSignal) as DeadlineOptions
      const result = Promise.resolve(call(options))
      let stall = ''
      const expire = (): void => {
        const lateMs = Math.round(monotonicMs() - startedAt - timeoutMs)
        // Node runs timers before it reads from sockets: the responses may have arrived long ago.
        if (stall === '' && lateMs >= stallMs) {
          stall = `; the event loop was blocked for at least ${lateMs} ms`
          stopTimer = startTimer(timeoutMs, expire)
          return
        }
        const timeout = new TimeoutError(`jwt-auth: no response within ${timeoutMs} ms (${limit})${stall}.`)
        deadline.timeout = timeout
        deadline.controller?.abort(timeout)
        for (const listener of deadline.listeners) listener(timeout)
        reject(timeout)
      }
      let stopTimer = startTimer(timeoutMs, expire)
      const stop = (): void => stopTimer()
      result.then(stop, stop)
      result.then(resolve, reject)
    })

let turn: Promise<void> | undefined

/**
 * Resolves after the callbacks of all sockets that are readable now. Callers of one turn of the
 * event loop continue together. SQLite works in this thread, and its promises settle immediately:
 * without such a pause, no request would run during long work.
 */
export const afterInput = (): Promise<void> => {
  turn ??= setImmediate().then(() => {
    turn = undefined
  })
  return turn
}
