import { randomBytes } from 'node:crypto'
import { hashPassword, passwordUsers } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'

interface Row {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly role: 'member' | 'admin'
  readonly passwordHash: string
}

const cost = 4 // keeps the tests of this folder fast; omit this option in your application

const rows: readonly Row[] = [
  {
    id: 1,
    username: 'demo',
    email: 'demo@example.com',
    role: 'member',
    passwordHash: await hashPassword('correct horse battery staple', { cost }),
  },
  {
    id: 2,
    username: 'jane',
    email: 'jane@example.com',
    role: 'admin',
    passwordHash: await hashPassword('another long passphrase', { cost }),
  },
]

/** The options of `jwtAuth` that all programs of this folder share. */
export const settings = {
  secret: randomBytes(48).toString('base64url'), // in production, a secret from the environment
  issuer: 'http://localhost:3000', // the URL of your service
  users: passwordUsers({
    findByUsername: async (username) => rows.find((row) => row.username === username),
    findById: async (id) => rows.find((row) => row.id === id),
    cost,
  }),
  claims: ({ role }: Pick<Row, 'role'>) => ({ role }),
  storage: memoryStorage({ quiet: true }), // in production, a database
}
