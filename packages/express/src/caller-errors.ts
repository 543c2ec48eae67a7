import { isAuthError, type Sessions } from '@jwt-auth/core'
import { isOwnTypeError } from '@jwt-auth/core/adapter'

/** The stack of a call, without the frames of this package. */
interface CallSite {
  readonly stack?: string
}

/**
 * Returns a function that works as `call` does. The stacks of its errors start with the frames of its caller. The frames of the
 * place that created the error follow: without them, an error of the application's own code would lose its origin.
 *
 * @param prepare Called with each error.
 */
export const traceCalls = <Args extends readonly unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
  prepare: (thrown: unknown) => void,
): ((...args: Args) => Promise<Result>) => {
  const traced = async (...args: Args): Promise<Result> => {
    // Captured now, because nothing connects an error of a batch of lookups with its callers.
    const site: CallSite = {}
    Error.captureStackTrace(site, traced)
    try {
      return await call(...args)
    } catch (thrown) {
      if (isAuthError(thrown) || isOwnTypeError(thrown)) addFrames(thrown, site)
      prepare(thrown)
      throw thrown
    }
  }
  return traced
}

/** Returns the operations on sessions, each with {@link traceCalls}. */
export const traceSessions = (sessions: Sessions, prepare: (thrown: unknown) => void): Sessions => ({
  create: traceCalls(sessions.create, prepare),
  list: traceCalls(sessions.list, prepare),
  revoke: traceCalls(sessions.revoke, prepare),
  revokeAll: traceCalls(sessions.revokeAll, prepare),
  revokeIssuedBefore: traceCalls(sessions.revokeIssuedBefore, prepare),
  purge: traceCalls(sessions.purge, prepare),
})

const framesOf = (stack: string): string => /(\n {4}at .*)+$/.exec(stack)?.[0] ?? ''

const addFrames = (error: Error, { stack = '' }: CallSite): void => {
  const frames = framesOf(error.stack ?? '')
  const header = (error.stack ?? '').slice(0, -frames.length || undefined)
  // A frozen error keeps its stack.
  Reflect.set(error, 'stack', `${header}${framesOf(stack)}${frames}`)
}
