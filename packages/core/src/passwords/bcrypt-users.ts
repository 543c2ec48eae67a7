import { createHash } from 'node:crypto'
import { setupError } from '../errors/auth-error.js'
import { readPort } from '../options/option-checks.js'
import type { User, UserDirectory, UserId } from '../ports/user-directory.js'
import { verifyWithEqualWork } from './equal-work.js'
import { readBcryptCost } from './hash-password.js'

/** A user with the password hash that is stored for them. */
export interface StoredUser extends User {
  /** bcrypt in one of the forms that `verifyPassword` reads; `null` for a user who has no password. */
  readonly passwordHash: string | null
}

/** Where {@link bcryptUsers} finds users. Both answer `undefined` or `null` for a user who is not there. */
export interface BcryptUsersOptions {
  readonly findByUsername: (username: string) => Promise<StoredUser | null | undefined>
  readonly findById: (id: UserId) => Promise<StoredUser | null | undefined>
  /** bcrypt cost whose work every attempt takes, 4 to 15: the one the stored hashes have. @default 12 */
  readonly cost?: number | undefined
}

/**
 * A user directory over bcrypt hashes. Unknown users, users without a password and disabled users take the same time as
 * a wrong password. Where a user carries no `credentialVersion`, one is derived from the hash: a changed password ends
 * the sessions opened under the old one, at their next refresh.
 *
 * @example bcryptUsers({ findByUsername: (name) => db.user(name), findById: (id) => db.userById(id) })
 */
export const bcryptUsers = (options: BcryptUsersOptions): UserDirectory => {
  const { findByUsername, findById } = readPort('bcryptUsers', options, ['findByUsername', 'findById'])
  const cost = readBcryptCost(options.cost)
  return {
    verifyPassword: async (username, password) => {
      const stored = checkHash(await findByUsername(username), 'findByUsername')
      const isMatch = await verifyWithEqualWork(password, stored?.passwordHash, cost)
      return stored && isMatch && !stored.disabled ? toUser(stored) : undefined
    },
    findById: async (id) => {
      const stored = checkHash(await findById(id), 'findById')
      return stored ? toUser(stored) : undefined
    },
  }
}

// Left out of one answer but not of the other, the hash would make every login fail; so it is asked for by name.
const checkHash = (stored: StoredUser | null | undefined, source: string): StoredUser | null | undefined => {
  if (!stored || stored.passwordHash === null || typeof stored.passwordHash === 'string') return stored
  throw setupError(`bcryptUsers: ${source} must answer \`passwordHash\` too, as text (null for none).`)
}

const toUser = ({ passwordHash, ...user }: StoredUser): User => ({
  ...user,
  credentialVersion: user.credentialVersion ?? versionOf(passwordHash),
})

const versionOf = (passwordHash: string | null): string =>
  createHash('sha256')
    .update(passwordHash ?? '')
    .digest('base64url')
    .slice(0, 22)
