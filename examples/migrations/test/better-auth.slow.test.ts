import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { SqliteDialect } from 'kysely'
import Database from 'libsql'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { createApp as createNewApp } from '../src/better-auth/after.js'
import { createApp as createOldApp } from '../src/better-auth/before.js'
import { describeMigration } from './support/describe-migration.js'
import { type Migration, password, startMigration, type World } from './support/start-migration.js'

const email = 'ann@example.com'

const toOptions = ({ file, oldSecret }: World): BetterAuthOptions => ({
  baseURL: 'http://localhost',
  secret: oldSecret,
  database: { dialect: new SqliteDialect({ database: new Database(file) }), type: 'sqlite' },
  telemetry: { enabled: false },
})

const migration: Migration<string> = {
  library: 'better-auth',
  username: email,
  createUser: async (world, password) => {
    const auth = betterAuth({ ...toOptions(world), emailAndPassword: { enabled: true } })
    await (await getMigrations(auth.options)).runMigrations()
    const { user } = await auth.api.signUpEmail({ body: { email, name: 'Ann', password } })
    return user.id
  },
  createOldApp: (world) => createOldApp(toOptions(world)),
  createNewApp: (options, world) => createNewApp({ ...options, oldOptions: toOptions(world) }),
  logInOld: async (app, password) => {
    const { headers } = await request(app).post('/api/auth/sign-in/email').send({ email, password }).expect(200)
    return { Authorization: `Bearer ${headers['set-auth-token']}` }
  },
  expire: async (headers, { database }) => {
    await database('session').update({ expiresAt: new Date(Date.now() - 1000).toISOString() })
    return headers
  },
  readHash: async (database) => (await database('account').first()).password,
}

describeMigration(migration)

describe('a client of better-auth', () => {
  it('receives a session for a user without a password, such as one of a social login', async () => {
    const { exchange, logIn, world } = await startMigration(migration)
    await world.database('account').update({ providerId: 'github', password: null })
    await exchange().expect(200)
    await logIn(password).expect(403)
  })

  it('logs out at the old route', async () => {
    const { app, getReports, headers } = await startMigration(migration)
    await request(app).post('/api/auth/sign-out').set(headers).expect(200)
    await getReports(headers).expect(401)
  })

  it('does not prolong the session of better-auth', async () => {
    const { getReports, headers, world } = await startMigration(migration)
    // One day of seven is left: better-auth would prolong the session now.
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    await world.database('session').update({ expiresAt })
    await getReports(headers).expect(200)
    expect(await world.database('session').whereNot({ expiresAt })).toEqual([])
  })
})
