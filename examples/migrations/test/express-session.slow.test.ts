import bcrypt from 'bcrypt'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createApp as createNewApp } from '../src/express-session/after.js'
import { createApp as createOldApp } from '../src/express-session/before.js'
import { describeMigration } from './support/describe-migration.js'
import { type Migration, password, startMigration, toHeaders } from './support/start-migration.js'

const migration: Migration<number> = {
  library: 'express-session',
  username: 'ann',
  createUser: async ({ database }, password) => {
    await database.schema.createTable('users', (columns) => {
      columns.increments('id')
      columns.string('username').unique()
      columns.string('password_hash')
      columns.string('email')
    })
    const password_hash = await bcrypt.hash(password, 4)
    await database('users').insert({ username: 'ann', email: 'ann@example.com', password_hash })
    return 1
  },
  createOldApp: ({ database, oldSecret }) => createOldApp(database, oldSecret),
  createNewApp,
  logInOld: async (app, password) => {
    const { headers } = await request(app).post('/login').type('form').send({ username: 'ann', password }).expect(302)
    const [cookie = ''] = headers['set-cookie'] ?? []
    return { Cookie: cookie.split(';', 1).join() }
  },
  expire: async (headers, { database }) => {
    await database('sessions').update({ expired: new Date(Date.now() - 1000).toISOString() })
    return headers
  },
  exchangeHeaders: { 'X-JWT-Auth-Transport': 'cookie', 'Sec-Fetch-Site': 'same-origin' },
  rehashedTable: 'users',
  readHash: async (database) => (await database('users').first()).password_hash,
}

describeMigration(migration)

describe('a browser with a cookie of express-session', () => {
  it('receives the refresh token in a cookie that no script can read, and loses the old cookie', async () => {
    const { exchange } = await startMigration(migration)
    const { body, headers } = await exchange().expect(200)
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-.*; Secure; HttpOnly; SameSite=Strict$/),
      'connect.sid=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
    ])
    expect(body).not.toHaveProperty('refresh_token')
  })

  it('exchanges nothing for a form of another site', async () => {
    const { app, clock, getReports, headers } = await startMigration(migration)
    await request(app).post('/exchange').set(headers).type('form').send({}).expect(400)
    clock.advanceMs(60_000)
    await getReports(headers).expect(200)
  })

  it('ends no sessions everywhere for a form of another site', async () => {
    const { app, getReports, headers } = await startMigration(migration)
    await request(app).post('/log-out-everywhere').set(headers).type('form').send({}).expect(400)
    await getReports(headers).expect(200)
  })

  it('ends the old session when a page of the old application logs out', async () => {
    const { app, getReports, headers } = await startMigration(migration)
    await request(app).post('/logout').set(headers).expect(302)
    await getReports(headers).expect(401)
  })

  it('is the user of its access token, and not of its old cookie', async () => {
    const { getReports, headers, logIn, world } = await startMigration(migration)
    const [ann] = await world.database('users')
    await world.database('users').insert({ ...ann, id: 2, username: 'ben' })
    const { body } = await logIn(password, 'ben').expect(200)
    await getReports({ ...headers, ...toHeaders(body.token) }).expect(200, { userId: 2 })
  })

  it('does not prolong the old session', async () => {
    const { getReports, headers, world } = await startMigration(migration)
    const stored = await world.database('sessions')
    const expired = new Date(Date.now() + 1_000_000).toISOString()
    await world.database('sessions').update({ expired })
    const response = await getReports(headers).expect(200)
    expect(response.headers).not.toHaveProperty('set-cookie')
    expect(await world.database('sessions')).toEqual([{ ...stored[0], expired }])
  })
})
