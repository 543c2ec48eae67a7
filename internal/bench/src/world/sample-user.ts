import type { User, UserDirectory } from '@jwt-auth/core'
import { hashPassword, passwordUsers } from '@jwt-auth/passwords'

/** Returns a user. Every integer from 1 on is the id of a user. */
const sampleUser = (id: number): User => ({
  id,
  email: `user-${id}@example.com`,
  nicename: `user-${id}`,
  displayName: `User ${id}`,
})

/** All users. No user can log in. */
export const sampleUsers: UserDirectory = {
  findByUsername: async () => undefined,
  verifyPassword: async () => false,
  findById: async (id) => sampleUser(Number(id)),
}

/** The password of all users. */
export const password = 'correct horse battery staple'

/**
 * Creates all users in memory, with the names `user-1`, `user-2`, …, and with bcrypt hashes of one
 * cost.
 */
export const hashedUsers = async (cost: number): Promise<UserDirectory> => {
  const passwordHash = await hashPassword(password, { cost })
  const find = async (id: number) => ({ ...sampleUser(id), passwordHash })
  return passwordUsers({
    cost,
    findByUsername: (name) => find(Number(name.replace('user-', ''))),
    findById: (id) => find(Number(id)),
  })
}
