/**
 * Checks the client that an executor receives. Without this check, the first statement would fail with an error that names neither
 * the executor nor the fix.
 *
 * @param call A right call of the executor, for the message.
 * @throws TypeError that names the executor and the fix
 */
export const requireClient = (isClient: boolean, executor: string, expected: string, call: string): void => {
  if (!isClient) throw new TypeError(`jwt-auth: ${executor} must be given ${expected}, such as ${call}.`)
}

/** Returns whether a value has a method of this name. postgres.js is a function with methods. */
export const hasMethod = (value: unknown, name: string): boolean => typeof Object(value)[name] === 'function'
