import type { User, UserDirectory } from '@jwt-auth/express'
import { attackRoutes, createTestAuth, expectRoutesGuarded } from '@jwt-auth/testing'
import { describe, expect, it } from 'vitest'
import { type Accounts, demoUsers } from '../src/accounts.js'
import { createApp } from '../src/app.js'

const list: readonly User[] = demoUsers
const users: UserDirectory = {
  findByUsername: async (username) => list.find((user) => user.username === username),
  findById: async (id) => list.find((user) => user.id === id),
  verifyPassword: async () => false,
}
const accounts: Accounts = {
  users,
  setUp: async () => {},
  replacePassword: async () => false,
  remove: async () => {},
}
const auth = createTestAuth({ users, onError: () => {} })
const options = { basePath: '', otherInstance: undefined, refreshGraceSeconds: 30, trustProxy: undefined }
const app = createApp(auth, { accounts }, options)

// Pages, files and descriptions are for everybody. The greeting has an optional guard. The functions at `/api` and `/wp` only set
// headers.
const except = [
  'USE /api',
  'USE /wp',
  'GET /',
  'USE /page/client',
  'USE /page',
  'GET /openapi.json',
  'GET /docs/swagger-initializer.js',
  'USE /docs',
  'GET /health',
  'GET /api/greeting',
]

describe('the guards of the site', () => {
  it('stand before every route that is not for everybody', () => {
    expectRoutesGuarded(app, { except })
  })

  it('refuse every bad credential before a handler runs', async () => {
    expect((await attackRoutes(app, { auth, userId: 1 })).length).toBeGreaterThan(5)
  })
})
