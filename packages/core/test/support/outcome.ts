import { type AuthErrorCode, isAuthError } from '../../src/errors/auth-error.js'

/** How an operation ended: `ok`, or the code of its `AuthError`. Anything else that was thrown goes on. */
export const outcomeOf = async (operation: Promise<unknown>): Promise<'ok' | AuthErrorCode> => {
  try {
    await operation
    return 'ok'
  } catch (thrown) {
    if (isAuthError(thrown)) return thrown.code
    throw thrown
  }
}

/** What an operation was rejected with. */
export const rejectionOf = async (operation: Promise<unknown>): Promise<unknown> => {
  try {
    await operation
  } catch (thrown) {
    return thrown
  }
  throw new Error('The operation was expected to be rejected.')
}

/** How often each outcome occurred. */
export const countOutcomes = async (
  operations: readonly Promise<unknown>[],
): Promise<Readonly<Record<string, number>>> => {
  const counts: Record<string, number> = {}
  for (const outcome of await Promise.all(operations.map(outcomeOf))) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}
