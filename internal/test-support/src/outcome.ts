import { type AuthErrorCode, isAuthError } from '@jwt-auth/core'

/** Resolves to `ok` or to the code of an `AuthError`. Rejects with any other error. */
export const outcomeOf = async (operation: Promise<unknown>): Promise<'ok' | AuthErrorCode> => {
  try {
    await operation
    return 'ok'
  } catch (thrown) {
    if (isAuthError(thrown)) return thrown.code
    throw thrown
  }
}

/** Resolves to the error with which an operation rejects. */
export const rejectionOf = async (operation: Promise<unknown>): Promise<unknown> => {
  try {
    await operation
  } catch (thrown) {
    return thrown
  }
  throw new Error('The operation was expected to be rejected.')
}

/** Counts each outcome. */
export const countOutcomes = async (
  operations: readonly Promise<unknown>[],
): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {}
  for (const outcome of await Promise.all(operations.map(outcomeOf))) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

/** Calls a function as JavaScript does, with arguments of any type. */
export const callUntyped = (called: (...args: never[]) => unknown, ...args: readonly unknown[]): unknown =>
  Reflect.apply(called, undefined, args)
