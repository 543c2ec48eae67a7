/** Why the host app can't start: one line for whoever started it. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** Says what was tried and the reason's code or message. */
export const toStartError = (what: string, cause: unknown): StartError =>
  new StartError(`${what}: ${reasonOf(cause)}`, { cause })

const reasonOf = (cause: unknown): string => {
  if (!(cause instanceof Error)) return String(cause)
  // knex guesses at a full pool, which a pool without any connection is not.
  if (cause.name === 'KnexTimeoutError') return 'no answer'
  return 'code' in cause && cause.code ? String(cause.code) : cause.message
}
