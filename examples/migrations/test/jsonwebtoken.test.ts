import { randomUUID } from 'node:crypto'
import request from 'supertest'
import { describe, it } from 'vitest'
import { createApp as createOldApp } from '../src/express-jwt/before.js'
import { createApp as createNewApp } from '../src/jsonwebtoken/after.js'
import { describeMigration } from './support/describe-migration.js'
import { createLogins, expireToken, type Migration, startMigration, toHeaders } from './support/start-migration.js'

const token = randomUUID()

const migration: Migration<number> = {
  library: 'jsonwebtoken',
  username: 'ann',
  createUser: async ({ database }, password) => {
    await database.schema.createTable('refresh_tokens', (columns) => {
      columns.string('token').primary()
      columns.integer('user_id')
      columns.bigInteger('created_at')
    })
    await database('refresh_tokens').insert({ token, user_id: 1, created_at: Date.now() })
    return createLogins(database, password)
  },
  createOldApp: ({ database, oldSecret }) => createOldApp(database, oldSecret),
  createNewApp,
  logInOld: async (app, password) => {
    const { body } = await request(app).post('/login').send({ username: 'ann', password }).expect(200)
    return toHeaders(body.token)
  },
  expire: expireToken,
  rehashedTable: 'users',
  readHash: async (database) => (await database('users').first()).password,
}

describeMigration(migration)

describe('a refresh token of the old table', () => {
  const start = async () => {
    const started = await startMigration(migration)
    return { ...started, send: (refreshToken: unknown) => started.exchange({}).send({ refreshToken }) }
  }

  it('is exchanged for a session until a minute after its first exchange', async () => {
    const { send, getReports, clock, userId } = await start()
    const { body } = await send(token).expect(200)
    await getReports(toHeaders(body.token)).expect(200, { userId })
    clock.advanceMs(60_000)
    await send(token).expect(401)
  })

  it('is refused when it is unknown, or older than 30 days', async () => {
    const { send, clock } = await start()
    for (const wrong of ['unknown', { token }, undefined]) await send(wrong).expect(401)
    clock.advanceMs(30 * 86_400_000)
    await send(token).expect(401)
  })

  it('ends when its user logs out everywhere', async () => {
    const { app, send, headers } = await start()
    await request(app).post('/log-out-everywhere').set(headers).expect(204)
    await send(token).expect(401)
  })
})
