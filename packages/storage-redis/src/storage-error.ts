/**
 * A call that Redis did not answer. Its message names the operation, the kind of failure and, for a client that is not connected,
 * the fix. The client's own error may repeat what was sent, so that it is not kept as `cause`.
 */
export class RedisStorageError extends Error {
  override readonly name = 'RedisStorageError'
  /** The method of the storage that failed, such as `rotate`. */
  readonly operation: string
  /** Redis's error code (`READONLY`), the socket's (`ECONNREFUSED`), or the name of the client's error (`ClientClosedError`). */
  readonly code: string

  constructor(operation: string, code: string) {
    super(`redis storage: ${operation} failed (${code})${advice[code] ?? ''}.`)
    this.operation = operation
    this.code = code
  }
}

const advice: Readonly<Record<string, string>> = {
  ClientClosedError:
    ': the client is not connected. Call `await client.connect()` before the first request, and close the client after `await auth.close()`',
  ClientOfflineError:
    ': the client has lost its connection, or has none yet, and queues no commands (`disableOfflineQueue`)',
}

/** The code by which a failure of a node-redis client may be told; never a part of what was sent. */
export const readErrorCode = (failure: unknown): string => {
  if (!(failure instanceof Error)) return 'unknown'
  if ('code' in failure && typeof failure.code === 'string') return failure.code
  const [replyCode] = /^[A-Z][A-Z0-9_]+(?= )/.exec(failure.message) ?? []
  return replyCode ?? failure.constructor.name
}
