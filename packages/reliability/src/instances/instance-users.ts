import type { User, UserDirectory } from '@jwt-auth/express'

/** The user name of user `id`: every positive whole number is a user. */
export const userNameOf = (id: number): string => `user-${id}`

/** The password of user `id`. */
export const passwordOf = (id: number): string => `the password of user ${id}`

/** Users without a table. Their passwords are compared in the clear: a login costs no hash. */
export const instanceUsers: UserDirectory = {
  findByUsername: async (username) => toUser(Number(username.replace(/^user-/, ''))),
  findById: async (id) => toUser(Number(id)),
  verifyPassword: async (user, password) => user !== undefined && password === passwordOf(Number(user.id)),
}

const toUser = (id: number): User | undefined =>
  Number.isSafeInteger(id) && id > 0
    ? { id, email: `${userNameOf(id)}@example.com`, nicename: userNameOf(id), displayName: `User ${id}` }
    : undefined
