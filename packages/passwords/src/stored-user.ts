import type { User } from '@jwt-auth/core'

/** A user with their stored password hash. */
export interface StoredUser extends User {
  /** In one of the forms that the hashers read. `null` for a user without a password. */
  readonly passwordHash: string | null
  /**
   * The user name as it is stored. If set, it is compared exactly, because databases whose
   * collation ignores accents (such as MySQL's) return `ann` for `änn`, which would multiply the
   * guesses for one account.
   * @default not compared
   */
  readonly username?: string | null | undefined
}

/** A stored user as the service and the application see them, also if `S` is `any`. */
export type WithoutHash<S extends StoredUser> = Pick<User, 'id' | 'email'> & Omit<S, 'passwordHash'>

// The names of schemes are public. The list is closed, so that a message never contains a part of a
// password, and few messages exist.
const schemes = /^(\$(argon2(i|d|id)|jwtauth1|wp|2[abxy]?|[PH]|scrypt|firebase|[1567y])\$|pbkdf2_sha256\$)/

const fix =
  'Pass its hasher in `hasher` or `legacyHashers` (https://github.com/jwt-auth/jwt-auth/blob/main/docs/guide/users-and-passwords.md#hashes-of-another-system). If its hasher is configured, the hash is truncated, padded or out of bounds. Replace plain text with `await hashPassword(password)`, and empty text with null.'

/**
 * Returns a message with the scheme of a stored hash that no hasher can read, and the fix. The
 * message contains no other part of the hash.
 */
export const explainUnreadableHash = (storedHash: string): string => {
  const [scheme] = schemes.exec(storedHash) ?? []
  const kind = scheme === undefined ? 'plain text, or a hash of an unknown form' : `\`${scheme}…\``
  return `a login failed, and every password of this user fails: the stored password hash is ${kind}, which no configured hasher can read. ${fix}`
}
