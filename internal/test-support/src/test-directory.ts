import type { User, UserDirectory, UserId } from '@jwt-auth/core'

/** A user and their password. The user name is the nicename. */
export interface Account extends User {
  readonly nicename: string
  readonly password: string
}

export const ann: Account = {
  id: 1,
  email: 'ann@example.com',
  nicename: 'ann',
  displayName: 'Ann',
  credentialVersion: 'v1',
  password: 'correct horse',
}

export const bob: Account = {
  id: 'bob-2',
  email: 'bob@example.com',
  nicename: 'bob',
  displayName: 'Bob',
  credentialVersion: 'v1',
  password: 'battery staple',
}

/** A user directory in memory that a test may change at any time. */
export interface TestDirectory extends UserDirectory {
  readonly change: (id: UserId, changes: Partial<Account>) => void
  readonly remove: (id: UserId) => void
}

export const createTestDirectory = (accounts: readonly Account[] = [ann, bob]): TestDirectory => {
  const byId = new Map<UserId, Account>(accounts.map((account) => [account.id, account]))
  return {
    findByUsername: async (username) => {
      const account = [...byId.values()].find(({ nicename }) => nicename === username)
      return account && toUser(account)
    },
    verifyPassword: async (user, password) => user !== undefined && byId.get(user.id)?.password === password,
    findById: async (id) => {
      const account = byId.get(id)
      return account && toUser(account)
    },
    change: (id, changes) => {
      const account = byId.get(id)
      if (account === undefined) throw new Error(`The test directory has no user ${id}.`)
      byId.set(id, { ...account, ...changes })
    },
    remove: (id) => {
      byId.delete(id)
    },
  }
}

const toUser = ({ password, ...user }: Account): User => user
