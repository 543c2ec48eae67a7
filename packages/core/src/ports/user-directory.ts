import type { CallOptions } from './call-options.js'
import type { HashingPlace } from './hashing-place.js'

/** Identifies a user: a whole number (as in the specification) or text. `1` and `'1'` are two users. */
export type UserId = number | string

/**
 * Whether a value can be a user's id: a safe integer, or 1 to 255 UTF-16 code units of well-formed text without control
 * characters.
 */
export const isUserId = (value: unknown): value is UserId =>
  Number.isSafeInteger(value) ||
  (typeof value === 'string' && value.isWellFormed() && /^\P{Cc}{1,255}$/u.test(value) && value.length <= 255)

/** What the service needs to know of a user. The table behind it is the host's own. */
export interface User {
  readonly id: UserId
  readonly email: string
  /** The user's URL-safe name. */
  readonly nicename: string
  readonly displayName: string
  /** Address of the user's public page. @default '' */
  readonly link?: string | undefined
  /** A disabled user can't log in, and their sessions end at the next refresh. @default false */
  readonly disabled?: boolean | undefined
  /**
   * Changes with the password. A session opened under another version ends at its next refresh, and a login that
   * was still hashing while the password changed fails. `undefined` switches both off.
   */
  readonly credentialVersion?: string | number | undefined
}

/** What the service passes with a password check. */
export interface PasswordCheckOptions {
  /** The place of the check in the hashing queue. A directory passes it to its queue. */
  readonly place?: HashingPlace | undefined
  /**
   * Reports a mistake in the application that fails the login, such as a stored hash that no hasher reads. The service passes
   * each message to `onError` once. The client receives the response to a wrong password. Write fixed messages without a
   * user name, a password or a part of a hash.
   */
  readonly reportFault?: ((message: string) => void) | undefined
}

/**
 * The port to the host's users. A rejection means that the directory could not answer (503, `jwt_auth_unavailable`),
 * unless it is an `AuthError`, which is answered as it stands. It never means "no such user": that is `undefined`.
 */
export interface UserDirectory {
  /**
   * Checks a user name and a password, both as the client sent them (1 to 4,096 UTF-16 code units). `undefined` for an
   * unknown name and for a wrong password alike, and in the same time: see `bcryptUsers`. Nothing bounds it from the outside, for
   * hashing takes the time it takes: a directory of one's own must settle, or its login and the service's `close` wait for it.
   * A directory that wraps another one passes the third argument on.
   */
  verifyPassword(username: string, password: string, options?: PasswordCheckOptions): Promise<User | undefined>
  /**
   * Finds a user as they are at this moment. `undefined` when there is none, or no longer. The signal aborts at the deadline
   * (`storageTimeoutMs`): a query that is still under way then should be cancelled, or it keeps its connection.
   */
  findById(id: UserId, options?: CallOptions): Promise<User | undefined>
}
