/** Creates the error of a value that this adapter did not write. `fault` names the field, and never repeats what it holds. */
export const unreadable = (fault: string): TypeError =>
  new TypeError(`redis storage: could not read a session: ${fault}.`)
