import { createAdapterError } from '@jwt-auth/core/internal'

/**
 * Converts the failure of a session storage for the application's log. Keeps the code, and the
 * words of Redis about a missing right. Drops the rest of the message and the cause, which may
 * repeat the sent values.
 *
 * @param operation completes the sentence "could not …"
 */
export const toStorageError = (operation: string, thrown: unknown): Error => {
  const code = toCode(thrown)
  return createAdapterError(`redisStorage could not ${operation}`, code, advice[code] ?? quoteRefusal(thrown))
}

/** Creates the error for a session whose id or selector hash belongs to another session. */
export const takenError = (): Error => createAdapterError('redisStorage could not create a session', 'TAKEN')

/**
 * Creates the error for a value that this adapter did not write. `fault` names the field and never
 * repeats the value.
 */
export const unreadableError = (fault: string): TypeError =>
  new TypeError(`jwt-auth: redisStorage could not read a session: ${fault}.`)

/**
 * Returns the code of a failure: the code of the socket (`ECONNREFUSED`) or of Redis (`READONLY`),
 * or else the name of the client's error (`ClientClosedError`). Never a part of a sent value.
 */
export const toCode = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return 'unknown failure'
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code
  const [replyCode] = /^[A-Z][A-Z0-9_]+(?= )/.exec(thrown.message) ?? []
  return replyCode ?? thrown.constructor.name
}

// Redis names the key or repeats the arguments after these words.
const refusal = /(?:can't (?:run|access)|no permissions to|unknown command)[\w '`|]*?(?=[,."]| script:|$)/i

const quoteRefusal = (thrown: unknown): string => {
  const [words] = (thrown instanceof Error && refusal.exec(thrown.message)) || []
  if (words === undefined) return ''
  return `: "${words}"; \`storage.status()\` names a right that the Redis user lacks, and the README of @jwt-auth/storage-redis has all of them`
}

const advice: Readonly<Record<string, string>> = {
  ClientClosedError:
    '; the client is not connected: call `await client.connect()` before the first request, and close the client after `await auth.close()`',
  ClientOfflineError:
    '; the client has lost its connection, or is not connected yet, and queues no commands (`disableOfflineQueue`)',
}
