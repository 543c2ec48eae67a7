import { randomBytes } from 'node:crypto'
import { type HashingPriority, hashPassword, type User, type UserDirectory, type UserId } from '@jwt-auth/express'
import { knexUsers, withMigrationLock } from '@jwt-auth/storage-knex'
import type { Knex } from 'knex'

/** The users of the site, in a table of its own. jwt-auth reads the table, and writes a password hash only to replace an old kind of hash. */
export interface Accounts {
  /** Creates the table and, the first time, the demo users. Several processes may call it concurrently. */
  readonly setUp: () => Promise<void>
  /** The user directory for jwt-auth. */
  readonly users: UserDirectory
  /** Replaces the password of a user. Resolves to `false` when the password has changed since `user` was read. */
  readonly replacePassword: (user: User, newPassword: string, priority: HashingPriority) => Promise<boolean>
  /** Deletes a user. Does nothing for an unknown id. */
  readonly remove: (userId: UserId) => Promise<void>
}

const table = 'users'
const setupTable = 'host_app_setup'

/** The users of a new site. */
export const demoUsers = [
  {
    id: 1,
    username: 'demo',
    password: 'correct horse battery staple',
    email: 'demo@example.com',
    nicename: 'demo',
    display_name: 'Demo User',
  },
  {
    id: 2,
    username: 'jane',
    password: 'another long passphrase',
    email: 'jane@example.com',
    nicename: 'jane',
    display_name: 'Jane Roe',
  },
] as const

/**
 * Creates the accounts over a database.
 *
 * @param bcryptCost the cost of new password hashes, 4 to 15
 */
export const createAccounts = (knex: Knex, bcryptCost: number): Accounts => ({
  setUp: () => withMigrationLock(knex, 'host-app', (transaction) => setUp(transaction, bcryptCost)),

  users: knexUsers(knex, {
    table,
    columns: {
      id: 'id',
      username: 'username',
      passwordHash: 'password_hash',
      email: 'email',
      nicename: 'nicename',
      displayName: 'display_name',
      credentialVersion: 'password_version',
    },
    cost: bcryptCost,
    // A higher BCRYPT_COST takes effect for each user at the next login.
    rehash: true,
  }),

  replacePassword: async ({ id, credentialVersion }, newPassword, priority) => {
    // Of two concurrent password changes, one must fail. The version is compared, not the hash, because a concurrent login may
    // replace the hash.
    const changed = await knex(table)
      .where({ id, password_version: String(credentialVersion) })
      .update({
        password_hash: await hashPassword(newPassword, { cost: bcryptCost, priority }),
        password_version: newVersion(),
      })
    return changed === 1
  },

  remove: async (userId) => {
    await knex(table).where('id', userId).delete()
  },
})

// Random, so that no version is reused: a new user with the id of a deleted user must not have the version of the deleted user.
const newVersion = (): string => randomBytes(16).toString('base64url')

const setUp = async (transaction: Knex.Transaction, bcryptCost: number): Promise<void> => {
  await createTables(transaction)
  if ((await transaction(setupTable).where('step', 'demo-users')).length > 0) return
  for (const { password, ...user } of demoUsers) {
    const password_hash = await hashPassword(password, { cost: bcryptCost })
    await transaction(table)
      .insert({ ...user, password_hash, password_version: newVersion() })
      .onConflict('id')
      .ignore()
  }
  // A later start finds this row and does not create a deleted demo user again.
  await transaction(setupTable).insert({ step: 'demo-users' })
}

const createTables = async (transaction: Knex.Transaction): Promise<void> => {
  if (!(await transaction.schema.hasTable(setupTable))) {
    await transaction.schema.createTable(setupTable, (columns) => {
      columns.string('step', 64).primary()
    })
  }
  if (await transaction.schema.hasTable(table)) return
  await transaction.schema.createTable(table, (columns) => {
    columns.integer('id').primary()
    columns.string('username', 191).notNullable().unique()
    columns.string('password_hash', 255).notNullable()
    columns.string('password_version', 32).notNullable()
    columns.string('email', 255).notNullable()
    columns.string('nicename', 255).notNullable()
    columns.string('display_name', 255).notNullable()
  })
}
