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

/** A user as the service needs to know them. */
export interface User {
  /** Identifies the user within the issuer. */
  readonly id: UserId
  /** The user's email address. */
  readonly email: string
  /** The user's URL-safe name. */
  readonly nicename: string
  /** The name that is shown to people. */
  readonly displayName: string
  /** Address of the user's public page. @default '' */
  readonly link?: string | undefined
  /** A disabled user can't log in, and their sessions end at the next refresh. @default false */
  readonly disabled?: boolean | undefined
  /**
   * Changes with the password. A session opened under another version ends at its next refresh, and a login that
   * was still hashing while the password changed fails. Use values that are never reused, such as random text, not a counter.
   * `undefined` switches both off.
   */
  readonly credentialVersion?: string | number | undefined
}

/** What the service passes to a lookup by user name. */
export interface UsernameLookupOptions extends CallOptions {
  /** Reports a mistake in the application that fails the login: see {@link PasswordCheckOptions.reportFault}. */
  readonly reportFault?: PasswordCheckOptions['reportFault']
}

/** What the service passes to a password check. */
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
 * The port to your users. The service limits how often passwords are checked: it looks a user up, applies the limits, and then calls
 * `verifyPassword`. A directory needs no limits.
 *
 * A rejection means that the directory failed: the service responds with 503 `jwt_auth_unavailable`. If a method throws an `AuthError`,
 * the service responds with that error. A rejection never means "no such user".
 */
export interface UserDirectory {
  /**
   * Finds a user by the name that the client sent (1 to 4,096 UTF-16 code units). Resolves to `undefined` if no user has the name. The
   * signal aborts at the deadline (`storageTimeoutMs`): cancel a query that is still running then, or the query keeps its connection.
   */
  findByUsername(username: string, options?: UsernameLookupOptions): Promise<User | undefined>
  /**
   * Finds a user as they are at this moment. Resolves to `undefined` if the user does not exist, or no longer exists. The signal aborts at
   * the deadline (`storageTimeoutMs`), as for `findByUsername`.
   */
  findById(id: UserId, options?: CallOptions): Promise<User | undefined>
  /**
   * Checks the password of a user. `user` is the object that one of the lookups returned, or `undefined` if no user was found. Resolves to
   * `false` for a wrong password, for a disabled user and for `undefined`, after the same work: otherwise the time tells who is a user.
   * `passwordUsers` does so. The service sets no deadline, because hashing and waiting in the hashing queue take long: the promise must
   * settle, or the login and `close` wait for it. A directory that wraps another directory passes `user` and the options on.
   */
  verifyPassword(user: User | undefined, password: string, options?: PasswordCheckOptions): Promise<boolean>
}
