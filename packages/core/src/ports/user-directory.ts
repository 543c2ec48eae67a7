import type { CallOptions } from '../system.js'

/**
 * The id of a user: a whole number (as in the specification) or text. `1` and `'1'` are two users.
 */
export type UserId = number | string

/** The maximum length of a password, in UTF-16 code units. A login refuses a longer password. */
export const maxPasswordLength = 4_096

/** A user as a directory returns them. An optional member that is null is absent. */
export interface User {
  /** Identifies the user, and never changes. */
  readonly id: UserId
  /** The email address, which clients receive as `user_email`. */
  readonly email: string
  /** The name that the user logs in with. @default unknown */
  readonly username?: string | null | undefined
  /**
   * The URL-safe name, which clients receive as `user_nicename`.
   * @default `username` (without it, `email`), percent-encoded
   */
  readonly nicename?: string | null | undefined
  /**
   * The name to show, which clients receive as `user_display_name`.
   * @default `username` (without it, `email`)
   */
  readonly displayName?: string | null | undefined
  /** The address of the user's public page. @default '' */
  readonly link?: string | null | undefined
  /**
   * Whether the user is disabled. A disabled user cannot log in, and their sessions end at the next
   * refresh.
   * @default false
   */
  readonly disabled?: boolean | null | undefined
  /**
   * A value that changes with the password. A session that was opened with another version ends at
   * its next refresh. A login fails if the version changes while its password is being checked. Use
   * values that are never reused, such as random text, not a counter.
   * @default the service does not check the version
   */
  readonly credentialVersion?: string | number | null | undefined
}

/** The options that the service passes to a lookup. */
export interface UserLookupOptions extends CallOptions {
  /** Reports a mistake in the application: see {@link PasswordCheckOptions.reportFault}. */
  readonly reportFault?: PasswordCheckOptions['reportFault']
}

/** The priority of a password check in the hashing queue. */
export interface HashingPriority {
  /**
   * Whether the user has logged in from this network before. The queue serves such checks first.
   */
  readonly isKnown: boolean
  /**
   * The client's network: an IPv4 address, the /64 of an IPv6 address, or `unknown`. Networks take
   * turns.
   */
  readonly network: string
  /**
   * A key that identifies the user of a check with `isKnown`. Among these checks, both users and
   * networks take turns.
   * @default only networks take turns
   */
  readonly user?: string | undefined
  /**
   * Aborts when the client has disconnected. The queue then drops a check that has not started.
   * @default the check stays
   */
  readonly signal?: AbortSignal | undefined
}

/** The options that the service passes to a password check. */
export interface PasswordCheckOptions {
  /** The priority of the check in the hashing queue. A directory passes it to its queue. */
  readonly priority?: HashingPriority | undefined
  /**
   * Reports a mistake in the application that makes the login fail, such as a stored hash that no
   * hasher can read. The service passes each message to `onError` once. The client receives the
   * response to a wrong password. With a cause, reports a failure that does not change the result
   * of the login. The service passes each of these failures to `onError`. Write fixed messages
   * without a user name, a password or a part of a hash.
   */
  readonly reportFault?: ((message: string, cause?: unknown) => void) | undefined
}

/**
 * The port to your users. `U` is your type of a user, with the members that you need in `claims`.
 * The service limits how often passwords are checked: it looks a user up, applies the limits, and
 * then calls `verifyPassword`. A directory needs no limits.
 *
 * A rejection means that the directory failed: the service responds with 503
 * `jwt_auth_unavailable`. If a method throws an `AuthError`, the service responds with that error.
 * A rejection never means "no such user".
 */
export interface UserDirectory<U extends User = User> {
  /**
   * Finds a user by the name that the client sent (1 to 4,096 UTF-16 code units). Resolves to
   * `undefined` if no user has the name. The signal aborts at the deadline (`callTimeoutMs`):
   * cancel a query that is still running then, or the query keeps its connection.
   */
  findByUsername(username: string, options?: UserLookupOptions): Promise<U | undefined>
  /**
   * Finds a user as they are at this moment. Resolves to `undefined` if the user does not exist, or
   * no longer exists. The signal aborts at the deadline (`callTimeoutMs`), as for
   * `findByUsername`.
   */
  findById(id: U['id'], options?: UserLookupOptions): Promise<U | undefined>
  /**
   * Checks the password of a user. `user` is the object that one of the lookups returned, or
   * `undefined` if no user was found. Resolves to `false` for a wrong password, for a disabled user
   * and for `undefined`, after the same amount of work. Otherwise the response time reveals which
   * users exist. `passwordUsers` takes the same time in all three cases. The service sets no
   * deadline, because hashing and waiting in the hashing queue can take a long time. The promise
   * must settle: otherwise the login and `close` wait forever. A directory that wraps another
   * directory passes `user` and the options on.
   */
  verifyPassword(user: U | undefined, password: string, options?: PasswordCheckOptions): Promise<boolean>
  /**
   * Hashes a new password for storing, in the same hashing queue. `auth.hashPassword` calls it.
   * @default applications hash passwords themselves
   */
  hashPassword?(password: string, options?: { readonly priority?: HashingPriority | undefined }): Promise<string>
}
