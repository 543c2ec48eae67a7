import { randomBytes } from 'node:crypto'
import { hashPassword, type User, type UserDirectory, type UserId } from '@jwt-auth/express'
import { createUsersTable, knexUsers, withMigrationLock } from '@jwt-auth/storage-knex'
import type { Knex } from 'knex'

/** The users of the site, in a table of its own. */
export type Accounts = ReturnType<typeof createAccounts>

const table = 'accounts'

/** The users of a new site. */
export const demoUsers = [
  { username: 'demo', password: 'correct horse battery staple', display_name: 'Demo User' },
  { username: 'jane', password: 'another long passphrase', display_name: 'Jane Roe' },
] as const

/** Creates the accounts over a database. `cost` is the cost of new password hashes. */
export const createAccounts = (knex: Knex, cost: number) => {
  // A higher cost takes effect for each user at the next login.
  const users: UserDirectory = knexUsers(knex, { table, cost, rehash: true })
  // The version is random, so it is never reused.
  const toColumns = (passwordHash: string) => ({
    password_hash: passwordHash,
    credential_version: randomBytes(16).toString('base64url'),
  })
  return {
    /** The user directory for jwt-auth. */
    users,

    /** Creates the table with the demo users, the first time. Several processes may call it concurrently. */
    setUp: async () => {
      await createUsersTable(knex, { table })
      await withMigrationLock(knex, 'host-app', async (transaction) => {
        if ((await transaction(table).first()) !== undefined) return
        for (const { password, ...user } of demoUsers) {
          const email = `${user.username}@example.com`
          await transaction(table).insert({ ...user, email, ...toColumns(await hashPassword(password, { cost })) })
        }
      })
    },

    /** Replaces the password of a user. Resolves to `false` when the password has changed since `user` was read. */
    replacePassword: async ({ id, credentialVersion }: User, passwordHash: string) => {
      // The version is compared, not the hash, because a concurrent login may replace the hash.
      const isUnchanged = { id, credential_version: String(credentialVersion) }
      const changed = await knex(table).where(isUnchanged).update(toColumns(passwordHash))
      return changed === 1
    },

    /** Deletes a user. */
    remove: async (id: UserId) => {
      await knex(table).where({ id }).delete()
    },
  }
}
