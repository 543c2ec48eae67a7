/**
 * What a stored hash says of a password: that it is not the one (`mismatch`), that it is (`match`), or that the part it covers is
 * right (`truncated`): bcrypt reads 72 bytes, and WordPress trims. `truncated` lets in, but such a password is not hashed anew: what
 * nobody has checked would become what is asked for from then on.
 */
export type PasswordMatch = 'mismatch' | 'truncated' | 'match'

/** The port to an algorithm that hashes passwords: `bcryptHasher()`, or `argon2idHasher()` from `@jwt-auth/core/argon2`. */
export interface PasswordHasher {
  /** Hashes a password for storing, under a salt of its own. A rejection is a failure of the machine (503). */
  hash(password: string): Promise<string>
  /**
   * Compares a password with a stored hash; `undefined` where there is none. Takes the work of one `hash` also where there is
   * nothing to compare with: no hash, one of another kind, or one of less work. Time would tell otherwise which names exist.
   */
  verify(password: string, storedHash: string | undefined): Promise<PasswordMatch>
  /**
   * Returns whether a stored hash is weaker than the hashes that `hash` makes now, of another kind, or unreadable. Such a hash is
   * replaced at the next login when the option `rehash` is set.
   */
  needsRehash(storedHash: string): boolean
  /**
   * Whether `verify` can find a match for a stored hash at all. A stored hash that no hasher reads is reported to `onError`.
   * @default every stored hash counts as readable, and nothing is reported
   */
  isReadable?(storedHash: string): boolean
}
