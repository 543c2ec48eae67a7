/**
 * A call that Redis did not answer. Its message names the operation and the kind of failure and nothing else: the client's own
 * error may repeat what was sent, so that it is not kept as `cause`.
 */
export class RedisStorageError extends Error {
  override readonly name = 'RedisStorageError'
  /** The method of the storage that failed, such as `rotate`. */
  readonly operation: string
  /** Redis's error code (`READONLY`), the socket's (`ECONNREFUSED`), or the name of the client's error (`ClientClosedError`). */
  readonly code: string

  constructor(operation: string, code: string) {
    super(`redis storage: ${operation} failed (${code}).`)
    this.operation = operation
    this.code = code
  }
}

/** The code by which a failure of a node-redis client may be told; never a part of what was sent. */
export const readErrorCode = (failure: unknown): string => {
  if (!(failure instanceof Error)) return 'unknown'
  if ('code' in failure && typeof failure.code === 'string') return failure.code
  const [replyCode] = /^[A-Z][A-Z0-9_]+(?= )/.exec(failure.message) ?? []
  return replyCode ?? failure.constructor.name
}
