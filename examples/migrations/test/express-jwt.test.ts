import { createAuthClient } from '@jwt-auth/client'
import { jwtAuth } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import express from 'express'
import request from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { exchangeOldToken } from '../src/exchange-old-token.js'
import { createApp as createNewApp } from '../src/express-jwt/after.js'
import { createApp as createOldApp } from '../src/express-jwt/before.js'
import { createOldLogins } from '../src/old-logins.js'
import { describeMigration } from './support/describe-migration.js'
import {
  createLogins,
  expireToken,
  type Migration,
  password,
  startMigration,
  toHeaders,
} from './support/start-migration.js'

const migration: Migration<number> = {
  library: 'express-jwt',
  username: 'ann',
  createUser: ({ database }, password) => createLogins(database, password),
  createOldApp: ({ database, oldSecret }) => createOldApp(database, oldSecret),
  createNewApp,
  logInOld: async (app, password) => {
    const { body } = await request(app).post('/login').send({ username: 'ann', password }).expect(200)
    return { Authorization: `Bearer ${body.token}` }
  },
  expire: expireToken,
  rehashedTable: 'users',
  readHash: async (database) => (await database('users').first()).password,
}

describeMigration(migration)

describe('a client of the hand-written login', () => {
  it('logs in at the old route, and uses the member `token` as before', async () => {
    const { app, getReports, userId } = await startMigration(migration)
    const { body } = await request(app).post('/login').send({ username: 'ann', password }).expect(200)
    await getReports(toHeaders(body.token)).expect(200, { userId })
    await request(app).post('/login').send({ username: 'ann', password: 'wrong' }).expect(403)
  })

  it('exchanges its stored token with the client of jwt-auth once, and stays logged in when the server fails', async () => {
    const { app, headers, userId } = await startMigration(migration)
    app.post('/proxy', (_req, res) => void res.sendStatus(401))
    const server = app.listen(0)
    onTestFinished(() => void server.close())
    const origin = `http://localhost:${Object(server.address()).port}`
    const auth = createAuthClient({ baseUrl: `${origin}/jwt-auth/v1` })
    const items = new Map([['token', headers['Authorization']?.replace('Bearer ', '') ?? '']])
    const storage = {
      getItem: (name: string) => items.get(name) ?? null,
      removeItem: (name: string) => void items.delete(name),
    }

    for (const path of ['no-such-route', 'proxy']) await exchangeOldToken(auth, `${origin}/${path}`, storage)
    expect(items.size).toBe(1)
    await exchangeOldToken(auth, `${origin}/exchange`, storage)
    expect(items.size).toBe(0)
    expect(await (await auth.fetch(`${origin}/reports`)).json()).toEqual({ userId })
    items.set('token', 'an expired token')
    await exchangeOldToken(auth, `${origin}/exchange`, storage)
    expect(items.size).toBe(0)
    expect(auth.getSnapshot()).toMatchObject({ status: 'authenticated' })
  })
})

describe('an exchange', () => {
  it('opens no session that outlives a logout everywhere at the same moment', async () => {
    const { database } = await startMigration(migration).then(({ world }) => world)
    const events: string[] = []
    const auth = jwtAuth({
      secret: testSecret,
      issuer: 'https://reports.example.com',
      storage: memoryStorage({ quiet: true }),
      users: {
        findByUsername: async () => undefined,
        verifyPassword: async () => false,
        // A session is opened for the user here: in the meantime, the user logs out everywhere.
        findById: async (id: number) => {
          if (events.push('lookup') === 1) await old.logOutEverywhere(id)
          return { id, username: 'ann', email: 'ann@example.com' }
        },
      },
    })
    const old = createOldLogins({
      auth,
      database,
      now: () => 1_000,
      readOldLogin: async () => ({ userId: 1, name: 'one', loggedInAtMs: 0 }),
    })
    await request(express().post('/exchange', old.exchange).use(auth.errorHandler())).post('/exchange').expect(401)
    expect(events).not.toEqual([])
    expect(await auth.sessions.list(1)).toEqual([])
  })
})
