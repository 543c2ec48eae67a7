/** The error of an example site that cannot start. Its message is one line for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Creates the error from what failed and from the code or the message of the cause. */
export const toStartError = (what: string, cause: unknown): StartError =>
  new StartError(`${what}: ${toReason(cause)}`, { cause })

const toReason = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  // knex's message says that the pool may be full. Here the pool is empty.
  if (cause.name === 'KnexTimeoutError') return 'no response'
  return 'code' in cause && cause.code ? String(cause.code) : cause.message
}
