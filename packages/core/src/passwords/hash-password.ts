import bcrypt from 'bcrypt'
import { readInteger } from '../options/option-checks.js'
import { newHashPrefix, prepareNew, readPasswordHash } from './password-hash.js'

// bcrypt's work factor when the host names none.
const defaultBcryptCost = 12

/** Reads a bcrypt cost. */
export const readBcryptCost = (cost: unknown): number =>
  readInteger('cost', cost, { min: 4, max: 15, default: defaultBcryptCost, unit: 'doublings' })

/**
 * Hashes a password for storing, about 70 characters long. The whole password counts, whatever its length.
 *
 * @param options.cost bcrypt's work factor, 4 to 15: each step doubles the time. @default 12
 * @example await hashPassword('correct horse battery staple') // '$jwtauth1$2b$12$…'
 */
export const hashPassword = async (
  password: string,
  options: { readonly cost?: number | undefined } = {},
): Promise<string> => {
  const cost = readBcryptCost(options.cost)
  if (typeof password !== 'string' || password === '') {
    throw new TypeError('jwt-auth: hashPassword needs a non-empty string.')
  }
  return newHashPrefix + (await bcrypt.hash(prepareNew(password), cost))
}

/**
 * Whether a password is the one of a stored hash: ours, `$2a$`, `$2b$`, `$2y$` (bcrypt reads 72 bytes of these), or
 * WordPress's `$wp$2y$`. `false` for a hash of any other form. For a login use `bcryptUsers`, which takes the same time
 * whether or not there is such a user.
 */
export const verifyPassword = async (password: string, storedHash: string): Promise<boolean> => {
  const hash = readPasswordHash(storedHash)
  return hash !== undefined && bcrypt.compare(hash.prepare(password), hash.bcryptHash)
}
