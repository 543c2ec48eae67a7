import { hashPassword, passwordUsers, type StoredUser, type UserDirectory, type UserId } from '../../src/index.js'

type UsersMethod = keyof UserDirectory

/** Users that a test can change at any time. */
export interface TestUsers extends UserDirectory {
  /** The names of the methods that were called, in order. */
  readonly calls: UsersMethod[]
  readonly change: (username: string, changes: Partial<StoredUser>) => void
  readonly remove: (username: string) => void
  /** Makes further calls of the method reject. */
  readonly rejectWith: (method: UsersMethod, reason: unknown) => void
}

export const password = 'correct horse battery staple'

/** The lowest cost of bcrypt keeps the tests fast. */
const cost = 4

const passwordHash = await hashPassword(password, { cost })

const seed: Readonly<Record<string, StoredUser>> = {
  ada: { id: 7, email: 'ada@example.com', nicename: 'ada-lovelace', displayName: 'Ada Lovelace', passwordHash },
  brian: {
    id: 'user-8',
    email: 'brian@example.com',
    nicename: 'brian',
    displayName: 'Brian Kernighan ✓',
    link: 'https://example.com/people/brian',
    passwordHash,
  },
  dora: { id: 9, email: 'dora@example.com', nicename: 'dora', displayName: 'Dora', disabled: true, passwordHash },
}

/** The user fields of ada in a response. */
export const adaFields = {
  user_id: 7,
  user_email: 'ada@example.com',
  user_nicename: 'ada-lovelace',
  user_display_name: 'Ada Lovelace',
}

/** The user fields of brian, whose id is text. */
export const brianFields = {
  user_id: 'user-8',
  user_email: 'brian@example.com',
  user_nicename: 'brian',
  user_display_name: 'Brian Kernighan ✓',
}

export const createTestUsers = (): TestUsers => {
  const users = new Map(Object.entries(seed))
  const calls: UsersMethod[] = []
  const rejections = new Map<UsersMethod, unknown>()
  const directory = passwordUsers({
    findByUsername: async (username) => users.get(username),
    findById: async (id: UserId) => [...users.values()].find((user) => user.id === id),
    cost,
  })

  const note = (method: UsersMethod): void => {
    calls.push(method)
    if (rejections.has(method)) throw rejections.get(method)
  }

  return {
    calls,
    change: (username, changes) => {
      const user = users.get(username)
      if (user === undefined) throw new Error(`There is no user ${username}.`)
      users.set(username, { ...user, ...changes })
    },
    remove: (username) => {
      users.delete(username)
    },
    rejectWith: (method, reason) => {
      rejections.set(method, reason)
    },
    findByUsername: async (username, options) => {
      note('findByUsername')
      return directory.findByUsername(username, options)
    },
    verifyPassword: async (user, given, options) => {
      note('verifyPassword')
      return directory.verifyPassword(user, given, options)
    },
    findById: async (id) => {
      note('findById')
      return directory.findById(id)
    },
  }
}
