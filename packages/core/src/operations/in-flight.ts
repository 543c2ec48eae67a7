import { AuthError } from '../errors/auth-error.js'

/** Counts the operations under way, so that a host can let them finish before it takes storage away. */
export interface InFlight {
  /** Runs an operation; once closed, throws `jwt_auth_unavailable` instead. */
  readonly run: <T>(operation: () => Promise<T>) => Promise<T>
  /** Aborts with {@link InFlight.close}: what takes long can end early. */
  readonly closing: AbortSignal
  /** Lets no further operation begin; settles when none is under way. */
  readonly close: () => Promise<void>
}

/** Makes an open drain. */
export const createInFlight = (): InFlight => {
  const closing = new AbortController()
  let inFlight = 0
  let settle = (): void => {}
  const emptied = new Promise<void>((resolve) => {
    settle = resolve
  })

  const settleIfEmpty = (): void => {
    if (closing.signal.aborted && inFlight === 0) settle()
  }

  return {
    run: async (operation) => {
      if (closing.signal.aborted)
        throw new AuthError('jwt_auth_unavailable', { cause: new Error('jwt-auth: close() was called.') })
      inFlight += 1
      try {
        return await operation()
      } finally {
        inFlight -= 1
        settleIfEmpty()
      }
    },
    closing: closing.signal,
    close: () => {
      closing.abort()
      settleIfEmpty()
      return emptied
    },
  }
}
