import { randomBytes } from 'node:crypto'
import { hashPassword, passwordUsers } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'

const cost = 4 // keeps the tests of this folder fast; omit this option in your application

const users = [
  { id: 1, username: 'demo', role: 'member', password: 'correct horse battery staple' },
  { id: 2, username: 'jane', role: 'admin', password: 'another long passphrase' },
]

const rows = await Promise.all(
  users.map(async ({ password, ...user }) => ({
    ...user,
    email: `${user.username}@example.com`,
    passwordHash: await hashPassword(password, { cost }),
  })),
)

/** The options of `jwtAuth` that all programs of this folder share. */
export const settings = {
  secret: randomBytes(48).toString('base64url'), // in production, a secret from the environment
  issuer: 'http://localhost:3000', // the URL of your service
  users: passwordUsers({
    findByUsername: async (username) => rows.find((row) => row.username === username),
    findById: async (id) => rows.find((row) => row.id === id),
    cost,
  }),
  claims: ({ role }: { readonly role: string }) => ({ role }),
  storage: memoryStorage({ quiet: true }), // in production, a database
}
