/**
 * Returns a function that works as `call` does. The stacks of the wrong options that it throws start at the line of its caller,
 * which Node prints above the message.
 *
 * @param name The name of the function. The messages name it, unless they do already, and the returned function has this name.
 * @default messages stay as they are
 */
export const pointAtCaller = <Args extends readonly unknown[], Result>(
  call: (...args: Args) => Result,
  name?: string,
): ((...args: Args) => Result) => {
  const traced = (...args: Args): Result => {
    try {
      return call(...args)
    } catch (thrown) {
      if (isOwnTypeError(thrown)) {
        if (name !== undefined) thrown.message = nameCaller(thrown.message, name)
        Error.captureStackTrace(thrown, traced)
      }
      throw thrown
    }
  }
  if (name !== undefined) Object.defineProperty(traced, 'name', { value: name })
  return traced
}

/** Returns whether this library created an error for a mistake of the application. An error of its own code keeps its stack. */
export const isOwnTypeError = (thrown: unknown): thrown is TypeError =>
  thrown instanceof TypeError && thrown.message.startsWith('jwt-auth: ')

// `knexUsers` calls `passwordUsers`: the message names the function that the application called.
const nameCaller = (message: string, name: string): string =>
  message.includes(name) ? message : message.replace(/^jwt-auth: (\w+: )?option /, `jwt-auth: ${name}: option `)
