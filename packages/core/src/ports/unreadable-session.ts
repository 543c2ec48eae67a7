// Registered by name, so that the ESM and the CommonJS build read each other's errors.
const sessionIdOf = Symbol.for('@jwt-auth/core.unreadableSession')

/**
 * Notes on the error of an adapter which session the adapter could not read. Returns the error. Core writes the id into the `detail`
 * of its own error. No log of the adapter's error shows the id, because the note is a getter.
 *
 * @example
 * ```ts
 * const error = noteUnreadableSession(new TypeError('the column created_at holds an unknown value'), id)
 * ```
 */
export const noteUnreadableSession = <E extends object>(error: E, sessionId: string): E =>
  Object.defineProperty(error, sessionIdOf, { get: () => sessionId, configurable: true })

/** Reads the note of {@link noteUnreadableSession}. Returns `undefined` for an error without a note. */
export const readUnreadableSession = (error: unknown): string | undefined => {
  const sessionId: unknown = Reflect.get(Object(error), sessionIdOf)
  return typeof sessionId === 'string' ? sessionId : undefined
}
