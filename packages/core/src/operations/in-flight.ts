import { AuthError } from '../errors/auth-error.js'

/** Tracks the operations in flight, so that an application can wait for them before it closes its database. */
export interface InFlight {
  /**
   * Runs an operation.
   *
   * @throws AuthError `jwt_auth_unavailable`, and runs nothing, after {@link InFlight.close}
   */
  readonly run: <T>(operation: () => Promise<T>) => Promise<T>
  /** Aborts when {@link InFlight.close} is called, so that long operations can end early. */
  readonly closing: AbortSignal
  /** Stops accepting operations. Resolves when none is in flight. */
  readonly close: () => Promise<void>
}

/** Creates the tracker of operations in flight for one service. */
export const createInFlight = (): InFlight => {
  const closing = new AbortController()
  let running = 0
  let stopWaiting = (): void => {}
  const lastEnded = new Promise<void>((resolve) => {
    stopWaiting = resolve
  })
  return {
    run: async (operation) => {
      if (closing.signal.aborted) {
        throw new AuthError('jwt_auth_unavailable', { cause: new Error('jwt-auth: close() was called.') })
      }
      running += 1
      try {
        return await operation()
      } finally {
        running -= 1
        if (running === 0 && closing.signal.aborted) stopWaiting()
      }
    },
    closing: closing.signal,
    close: async () => {
      closing.abort()
      if (running > 0) await lastEnded
    },
  }
}
