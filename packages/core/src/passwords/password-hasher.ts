/**
 * How a password compares with a stored hash: it is another password (`mismatch`), it is the password (`match`), or the part of
 * it that the hash covers is right (`truncated`), because bcrypt reads 72 bytes and WordPress trims. A `truncated` password is
 * accepted, but is not hashed again, because the part that nobody has checked would become part of the password.
 */
export type PasswordMatch = 'mismatch' | 'truncated' | 'match'

/**
 * Checks the stored hashes of an algorithm that makes no new hashes, such as `phpassHasher()` from
 * `@jwt-auth/core/legacy-hashers`.
 */
export interface LegacyHasher {
  /**
   * Compares a password with a stored hash, or with `undefined` if there is none. Does the same work in any case, for a
   * {@link PasswordHasher} the work of one `hash`: even without a hash, with a hash of another kind, and with a hash of less work.
   * Otherwise the response time would reveal which users exist.
   */
  verify(password: string, storedHash: string | undefined): Promise<PasswordMatch>
  /**
   * Returns whether `verify` can find a match for a stored hash at all. A stored hash that no hasher reads is reported to
   * `onError`.
   * @default every stored hash counts as readable, and nothing is reported
   */
  isReadable?(storedHash: string): boolean
}

/** The port to an algorithm that hashes passwords: `bcryptHasher()`, or `argon2idHasher()` from `@jwt-auth/core/argon2`. */
export interface PasswordHasher extends LegacyHasher {
  /** Hashes a password for storing, with a new salt. A rejection means that hashing failed (503). */
  hash(password: string): Promise<string>
  /**
   * Returns whether a stored hash is weaker than the hashes that `hash` makes now, of another kind, or unreadable. Such a hash is
   * replaced at the next login when the option `rehash` is set.
   */
  needsRehash(storedHash: string): boolean
}
