import { AuthError } from '../errors/auth-error.js'

/** Counts the operations under way, so that a host can let them finish before it takes storage away. */
export interface Drain {
  /** Runs an operation; once closed, throws `jwt_auth_unavailable` instead. */
  readonly run: <T>(operation: () => Promise<T>) => Promise<T>
  /** Lets no further operation begin; settles when none is under way. */
  readonly close: () => Promise<void>
}

/** Makes an open drain. */
export const createDrain = (): Drain => {
  let underWay = 0
  let isClosed = false
  let settle = (): void => {}
  const emptied = new Promise<void>((resolve) => {
    settle = resolve
  })

  const settleIfEmpty = (): void => {
    if (isClosed && underWay === 0) settle()
  }

  return {
    run: async (operation) => {
      if (isClosed) throw new AuthError('jwt_auth_unavailable', { cause: new Error('jwt-auth: close() was called.') })
      underWay += 1
      try {
        return await operation()
      } finally {
        underWay -= 1
        settleIfEmpty()
      }
    },
    close: () => {
      isClosed = true
      settleIfEmpty()
      return emptied
    },
  }
}
