import type { UserDirectory } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import type { Express } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createApp as createImpersonation } from '../src/impersonation.js'
import { createApp as createSecondFactor } from '../src/second-factor.js'
import { createApp as createTenant } from '../src/tenant.js'

const accounts = (['admin', 'member'] as const).map((role, at) => ({ id: at + 1, email: `${role}@example.com`, role }))

const users: UserDirectory<(typeof accounts)[number]> = {
  findByUsername: async (name) => accounts.find(({ email }) => email.startsWith(name)),
  findById: async (id) => accounts.find((account) => account.id === id),
  verifyPassword: async (user, password) => user !== undefined && password === 'a long passphrase',
}

const createOptions = () => ({
  secret: 'kR3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2e',
  issuer: 'https://api.example.com',
  storage: memoryStorage({ quiet: true }),
  users,
})

interface Tokens {
  readonly token: string
  readonly refresh_token: string
}

/** A client of a program: sends requests with the tokens of the last response that had some. */
const logIn = async (app: Express, username = 'member') => {
  const post = (path: string, body: object) => request(app).post(path).send(body)
  const read = async (response: PromiseLike<{ readonly body: Tokens }>): Promise<Tokens> => (await response).body
  let tokens = await read(post('/jwt-auth/v1/token', { username, password: 'a long passphrase' }).expect(200))
  const authorization = (): string => `Bearer ${tokens.token}`
  return {
    get: (path: string) => request(app).get(path).set('Authorization', authorization()),
    post: (path: string, body = {}) => post(path, body).set('Authorization', authorization()),
    keep: async (response: PromiseLike<{ readonly body: Tokens }>) => {
      tokens = await read(response)
    },
    refresh: async () => {
      tokens = await read(post('/jwt-auth/v1/token/refresh', { refresh_token: tokens.refresh_token }).expect(200))
    },
  }
}

describe('the program for impersonation', () => {
  it('lets an admin act as a user, who cannot pay, also after each refresh', async () => {
    const client = await logIn(createImpersonation(createOptions()), 'admin')
    await client.post('/payments').expect(201)
    await client.keep(client.post('/users/2/impersonation').expect(200))
    for (const _ of [1, 2, 3]) {
      expect((await client.get('/whoami').expect(200)).body).toEqual({ userId: 2, actor: '1' })
      await client.post('/payments').expect(403)
      await client.refresh()
    }
  })

  it('refuses users, and admins who act as another admin', async () => {
    const app = createImpersonation(createOptions())
    await (await logIn(app)).post('/users/1/impersonation').expect(403)
    const client = await logIn(app, 'admin')
    await client.keep(client.post('/users/1/impersonation').expect(200))
    await client.post('/users/2/impersonation').expect(403)
  })
})

describe('the program for a second factor', () => {
  it('shows reports after the code, also after each refresh, and not after the password alone', async () => {
    const client = await logIn(createSecondFactor(createOptions(), async (id, code) => id === 2 && code === '123456'))
    await client.get('/reports').expect(403)
    await client.post('/second-factor', { code: '654321' }).expect(403)
    await client.keep(client.post('/second-factor', { code: '123456' }).expect(200))
    for (const _ of [1, 2, 3]) {
      await client.get('/reports').expect(200)
      await client.refresh()
    }
  })
})

describe('the program for tenants', () => {
  it('keeps the chosen tenant through each refresh, and refuses all others', async () => {
    const client = await logIn(createTenant(createOptions(), async (_, tenant) => tenant !== 'east'))
    await client.get('/tenants/north/orders').expect(403)
    await client.post('/tenants/east/session').expect(403)
    await client.keep(client.post('/tenants/north/session').expect(200))
    for (const _ of [1, 2, 3]) {
      expect((await client.get('/tenants/north/orders').expect(200)).body).toMatchObject({ tenant: 'north' })
      await client.get('/tenants/south/orders').expect(403)
      await client.refresh()
    }
  })
})
