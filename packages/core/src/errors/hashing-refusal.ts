import { AuthError } from './auth-error.js'

// Why a hashing queue refuses a check, as `detail` of the error.
const details: Readonly<Record<RefusalReason, string>> = {
  queue: 'the hashing queue is full',
  network: 'too many logins of one network wait in the hashing queue',
  user: 'too many logins of one user wait in the hashing queue',
  timeout: 'the wait in the hashing queue timed out',
}

/** The bound that a refused check exceeds. */
export type RefusalReason = 'queue' | 'network' | 'user' | 'timeout'

/** A check that a hashing queue refused. */
export interface HashingRefusal {
  /** The bound that the check exceeds. */
  readonly reason: RefusalReason
  /** The bound, such as `maxQueued: 100`, for the log. */
  readonly bound: string
  /** Whether the user has logged in from the network before. */
  readonly isKnown: boolean
  /** When the client may try again, in milliseconds from now. */
  readonly retryAfterMs: number
}

/** Creates the error of a refused check. */
export const createHashingRefusal = ({ reason, bound, isKnown, retryAfterMs }: HashingRefusal): AuthError =>
  new AuthError('jwt_auth_unavailable', {
    retryAfterSeconds: retryAfterMs / 1_000,
    detail: details[reason],
    cause: Object.assign(
      new Error(
        `jwt-auth: passwords arrive faster than they are hashed (${bound}). Start more processes, or raise \`concurrency\` of createHashingQueue together with UV_THREADPOOL_SIZE; \`maxQueued\` and \`queueTimeoutMs\` allow a longer queue.`,
      ),
      { isKnown },
    ),
  })

/** Returns whether a check was refused because its own network has its share of the queue already. */
export const isRefusedForNetwork = ({ detail }: AuthError): boolean => detail === details.network

/**
 * Reads whether the pair of a refused check was known. Returns `undefined` for an error that is not a refusal. Also reads
 * refusals of the other build of the package.
 */
export const readHashingRefusal = ({ detail, cause }: AuthError): { readonly isKnown: boolean } | undefined => {
  if (!Object.values<unknown>(details).includes(detail)) return undefined
  return { isKnown: cause instanceof Error && 'isKnown' in cause && cause.isKnown === true }
}
