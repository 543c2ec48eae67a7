import { readPort } from '../options/option-checks.js'
import type { UserDirectory } from '../ports/user-directory.js'
import { type PasswordUsersOptions, passwordUsers } from './password-users.js'

/** Where {@link bcryptUsers} finds users, and the bcrypt cost of every attempt. */
export type BcryptUsersOptions = Omit<PasswordUsersOptions, 'hasher' | 'oldHashers'>

/**
 * A user directory over bcrypt hashes: {@link passwordUsers} without a choice of algorithm.
 *
 * @example bcryptUsers({ findByUsername: (name) => db.user(name), findById: (id) => db.userById(id) })
 */
export const bcryptUsers = (options: BcryptUsersOptions): UserDirectory =>
  passwordUsers(readPort('bcryptUsers', options, ['findByUsername', 'findById']))
