import type { HashingPlace } from '../ports/hashing-place.js'
import { type HashingOptions, resolveHashing } from './hashing.js'

/** How {@link verifyPassword} checks a password. `undefined` equals absent. */
export interface PasswordVerificationOptions extends HashingOptions {
  /**
   * The place of a login in the hashing queue: what a user directory of your own receives with the password.
   * @default the application's own place
   */
  readonly place?: HashingPlace | undefined
}

/** The longest password, in UTF-16 code units: a login reads no longer one (wire/read-request.ts). */
export const longestPassword = 4_096

/**
 * Hashes a password for storing: bcrypt, about 70 characters long, unless the options say otherwise. The whole password counts,
 * exactly as it is given: 1 to 4,096 characters, well-formed. Rejects with a `TypeError` for any other, which no login could send, and
 * with `jwt_auth_unavailable` when too many hashes wait. In the hashing queue it takes turns with logins at new networks.
 *
 * @example await hashPassword('correct horse battery staple') // '$jwtauth1$2b$12$…'
 */
export const hashPassword = async (password: string, options: HashingOptions = {}): Promise<string> => {
  const { queue, hasher } = resolveHashing(options)
  if (
    typeof password !== 'string' ||
    password === '' ||
    password.length > longestPassword ||
    !password.isWellFormed()
  ) {
    throw new TypeError(`jwt-auth: hashPassword needs a well-formed string of 1 to ${longestPassword} characters.`)
  }
  return queue.run(() => hasher.hash(password))
}

/**
 * Whether a password is the one of a stored hash: ours, `$2a$`, `$2b$`, `$2y$` (bcrypt reads 72 bytes of these), WordPress's
 * `$wp$2y$`, or what the hashers of the options read. `false` where there is no hash (`null`, `undefined`) or one of any other
 * form, after the same work: a user directory of your own can rely on it. Rejects with `jwt_auth_unavailable` when too many
 * hashes wait.
 *
 * @example await verifyPassword(password, user?.passwordHash)
 */
export const verifyPassword = async (
  password: string,
  storedHash: string | null | undefined,
  options: PasswordVerificationOptions = {},
): Promise<boolean> => {
  const { queue, compare } = resolveHashing(options)
  const hash = typeof storedHash === 'string' ? storedHash : undefined
  return (await queue.run(() => compare(password, hash), options.place)) !== 'mismatch'
}
