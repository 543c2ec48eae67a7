import { randomBytes, scryptSync } from 'node:crypto'
import request from 'supertest'
import { describe, it } from 'vitest'
import { createApp as createNewApp } from '../src/passport-jwt/after.js'
import { createApp as createOldApp } from '../src/passport-jwt/before.js'
import { describeMigration } from './support/describe-migration.js'
import { expireToken, type Migration, password, startMigration, toHeaders } from './support/start-migration.js'

const email = 'ann@example.com'
const salt = randomBytes(16).toString('hex')
const hash = `${salt}:${scryptSync(password, salt, 64).toString('hex')}`

const migration: Migration<number> = {
  library: 'passport-jwt',
  username: email,
  createUser: async ({ database }) => {
    await database.schema.createTable('members', (columns) => {
      columns.increments('id')
      columns.string('email').unique()
      columns.string('password')
    })
    await database('members').insert({ id: 7, email, password: hash })
    return 7
  },
  createOldApp: ({ database, oldSecret }) => createOldApp(database, oldSecret),
  createNewApp,
  logInOld: async (app, password) => {
    const { body } = await request(app).post('/auth/login').send({ email, password }).expect(200)
    return { Authorization: `Bearer ${body.token}` }
  },
  expire: expireToken,
  rehashedTable: 'members',
  readHash: async (database) => (await database('members').first()).password,
}

describeMigration(migration)

describe('a client of the login before passport-jwt', () => {
  it('logs in at the old route with the member `email`, and uses the member `token` as before', async () => {
    const { app, getReports, userId } = await startMigration(migration)
    const { body } = await request(app).post('/auth/login').send({ email, password }).expect(200)
    await getReports(toHeaders(body.token)).expect(200, { userId })
    await request(app).post('/auth/login').send({ email, password: 'wrong' }).expect(403)
  })

  it('is refused with an old token when the member was deleted', async () => {
    const { exchange, headers, getReports, world } = await startMigration(migration)
    await world.database('members').delete()
    await getReports(headers).expect(401)
    await exchange().expect(401)
  })
})
