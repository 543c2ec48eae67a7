import { hashPassword, type StoredUser, type UserId } from '@jwt-auth/express'

// Your own table of users. Here it has one row.
const jane: StoredUser = {
  id: 1,
  email: 'jane@example.com',
  nicename: 'jane',
  displayName: 'Jane Roe',
  passwordHash: await hashPassword('correct horse battery staple'),
}

export const findByUsername = async (username: string): Promise<StoredUser | undefined> =>
  username === 'jane' ? jane : undefined

export const findById = async (id: UserId): Promise<StoredUser | undefined> => (id === jane.id ? jane : undefined)
