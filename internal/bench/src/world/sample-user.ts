import { hashPassword, passwordUsers, type User, type UserDirectory } from '@jwt-auth/core'

/** A user of the world: every number from 1 is one. */
const sampleUser = (id: number): User => ({
  id,
  email: `user-${id}@example.com`,
  nicename: `user-${id}`,
  displayName: `User ${id}`,
})

/** The users, found by their ids. Nobody can log in. */
export const sampleUsers: UserDirectory = {
  findByUsername: async () => undefined,
  verifyPassword: async () => false,
  findById: async (id) => sampleUser(Number(id)),
}

/** Everybody's password. */
export const password = 'correct horse battery staple'

/** The users in memory, under the names `user-1` and so on, with bcrypt hashes of one cost. */
export const hashedUsers = async (cost: number): Promise<UserDirectory> => {
  const passwordHash = await hashPassword(password, { cost })
  const find = async (id: number) => ({ ...sampleUser(id), passwordHash })
  return passwordUsers({
    cost,
    findByUsername: (name) => find(Number(name.replace('user-', ''))),
    findById: (id) => find(Number(id)),
  })
}
