import { type Awaitable, isPromise } from '../awaitable.js'
import { AuthError } from '../errors/auth-error.js'

/** Counts the operations under way, so that a host can let them finish before it takes storage away. */
export interface Drain {
  /** Runs an operation; once closed, throws `jwt_auth_unavailable` instead. */
  readonly run: <T>(operation: () => Promise<T>) => Promise<T>
  /** The same for an operation that may answer at once. */
  readonly runAtOnce: <T>(operation: () => Awaitable<T>) => Awaitable<T>
  /** Aborts with {@link Drain.close}: what takes long can end early. */
  readonly closing: AbortSignal
  /** Lets no further operation begin; settles when none is under way. */
  readonly close: () => Promise<void>
}

/** Makes an open drain. */
export const createDrain = (): Drain => {
  const closing = new AbortController()
  let underWay = 0
  let settle = (): void => {}
  const emptied = new Promise<void>((resolve) => {
    settle = resolve
  })

  const settleIfEmpty = (): void => {
    if (closing.signal.aborted && underWay === 0) settle()
  }

  const leave = (): void => {
    underWay -= 1
    settleIfEmpty()
  }

  const runAtOnce = <T>(operation: () => Awaitable<T>): Awaitable<T> => {
    if (closing.signal.aborted)
      throw new AuthError('jwt_auth_unavailable', { cause: new Error('jwt-auth: close() was called.') })
    underWay += 1
    let result: Awaitable<T> | undefined
    try {
      result = operation()
      return isPromise(result) ? result.finally(leave) : result
    } finally {
      if (!isPromise(result)) leave()
    }
  }

  return {
    runAtOnce,
    run: async (operation) => runAtOnce(operation),
    closing: closing.signal,
    close: () => {
      closing.abort()
      settleIfEmpty()
      return emptied
    },
  }
}
