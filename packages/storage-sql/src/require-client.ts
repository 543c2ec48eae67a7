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

/** Refuses the options of an executor that has none. They would be ignored. */
export const refuseOptions = (options: unknown, executor: string): void => {
  if (options === undefined) return
  throw new TypeError(`jwt-auth: ${executor} has no options; pass them to the driver, where you create its client.`)
}

/** Returns whether a value has a method of this name. postgres.js is a function with methods. */
export const hasMethod = (value: unknown, name: string): boolean => typeof Object(value)[name] === 'function'
