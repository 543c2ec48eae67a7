import { setupError } from '@jwt-auth/core/internal'

/**
 * How a password compares with a stored hash: it is another password (`mismatch`), it is the
 * password (`match`), or the part of it that the hash covers is right (`truncated`), because bcrypt
 * reads 72 bytes and WordPress trims. A `truncated` password is accepted, but is not hashed again,
 * because the part that nobody has checked would become part of the password.
 */
export type PasswordMatch = 'mismatch' | 'truncated' | 'match'

/**
 * Checks the stored hashes of an algorithm that makes no new hashes, such as `phpassHasher()` from
 * `@jwt-auth/passwords/legacy-hashers`.
 */
export interface LegacyHasher {
  /**
   * Compares a password with a stored hash, or with `undefined` if there is none. Does the same
   * work in any case: even without a hash, with a hash of another kind, and with a hash of less
   * work. Otherwise the response time would reveal which users exist. For a {@link PasswordHasher},
   * this is the work of one `hash`.
   */
  verify(password: string, storedHash: string | undefined): Promise<PasswordMatch>
  /**
   * Returns whether `verify` can find a match for a stored hash at all. A stored hash that no
   * hasher reads is reported to `onError`.
   * @default every stored hash counts as readable, and nothing is reported
   */
  isReadable?(storedHash: string): boolean
}

/**
 * The port to an algorithm that hashes passwords: `bcryptHasher()`, or `argon2idHasher()` from
 * `@jwt-auth/passwords/argon2`.
 */
export interface PasswordHasher extends LegacyHasher {
  /**
   * Hashes a password for storing, with a new salt. A rejection means that hashing failed (503).
   */
  hash(password: string): Promise<string>
  /**
   * Returns whether a stored hash is weaker than the hashes that `hash` makes now, of another kind,
   * or unreadable. Such a hash is replaced at the next login when the option `rehash` is set.
   */
  needsRehash(storedHash: string): boolean
}

/**
 * Decodes base64 without padding. Returns `undefined` for any other text, and where the last
 * character has unused bits that are not zero (RFC 4648, section 3.5).
 */
export const decodeBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64').replaceAll('=', '') === text ? bytes : undefined
}

const page = 'https://github.com/jwt-auth/jwt-auth/blob/main/docs/bundlers-and-runtimes.md'

/**
 * Loads a hashing library with native code. Such a library finds its binary by its own path, so it
 * fails inside of a bundle.
 *
 * @param load imports the package by its literal name, so that bundlers see the import
 * @throws an {@link AuthError} `jwt_auth_internal_error`, whose cause names the fix
 */
export const loadNativePackage = async <T>(name: string, load: () => Promise<{ readonly default: T }>): Promise<T> => {
  try {
    return (await load()).default
  } catch (cause) {
    const [problem] = String(cause).split('\n')
    const fix = `install ${name}, and if you bundle your application, declare ${name} as external (${page})`
    throw setupError(`the package ${name} cannot be loaded; ${fix}: ${problem}`)
  }
}
