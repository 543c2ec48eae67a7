/**
 * Calls a function of the host whose outcome must change nothing: what it throws, at once or later, goes to `onFailure`.
 */
export const callListener = <T>(
  listener: (value: T) => unknown,
  value: T,
  onFailure: (thrown: unknown) => void,
): void => {
  try {
    Promise.resolve(listener(value)).catch(onFailure)
  } catch (thrown) {
    onFailure(thrown)
  }
}
