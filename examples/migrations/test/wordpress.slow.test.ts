import { randomBytes } from 'node:crypto'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { hashCheaply } from '@jwt-auth/test-support/cheap-hashes'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import type { Knex } from 'knex'
import request from 'supertest'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createOldLoginsTable } from '../src/old-logins.js'
import { createApp as createNewApp } from '../src/wordpress/after.js'
import { createApp as createOldApp, hashAsWordPress } from '../src/wordpress/before.js'
import { describeMigration } from './support/describe-migration.js'
import { expireToken, type Migration, type OldHeaders, password, startMigration } from './support/start-migration.js'

// The issuer of the old and the new tokens.
const site = 'https://reports.example.com'
const namespace = '/wp-json/jwt-auth/v1'

const createUsers = async (database: Knex, user: object): Promise<void> => {
  // The collation of WordPress's tables ignores the letter case.
  const text = database.client.dialect === 'sqlite3' ? 'varchar(255) collate nocase' : 'varchar(255)'
  await database.schema.createTable('wp_users', (columns) => {
    columns.increments('ID')
    for (const name of ['user_login', 'user_pass', 'user_nicename', 'user_email', 'display_name'])
      columns.specificType(name, text)
  })
  await database('wp_users').insert(user)
  await database.schema.createTable('wp_usermeta', (columns) => {
    columns.integer('user_id')
    for (const name of ['meta_key', 'meta_value']) columns.text(name)
  })
  const meta_value = 'a:2:{s:6:"editor";b:1;s:13:"shop_manager";b:1;}'
  await database('wp_usermeta').insert({ user_id: 1, meta_key: 'wp_capabilities', meta_value })
}

// The first hash is of WordPress 6.1, for the password of the tests.
const createMigration = (library: string, hash: (password: string) => Promise<string>): Migration<number> => ({
  library,
  username: 'ann',
  createUser: async ({ database }, password) => {
    await createUsers(database, {
      user_login: 'ann',
      user_pass: await hash(password),
      user_nicename: 'ann-roe',
      user_email: 'ann@example.com',
      display_name: 'Ann Roe',
    })
    return 1
  },
  createOldApp: ({ database, oldSecret }) => createOldApp(database, oldSecret, site),
  createNewApp: (options) => createNewApp({ ...options, site }),
  logInOld: async (app, password) => {
    const { body } = await request(app).post(`${namespace}/token`).send({ username: 'ann', password }).expect(200)
    return { Authorization: `Bearer ${body.token}` }
  },
  expire: expireToken,
  namespace,
  readHash: async (database) => (await database('wp_users').first()).user_pass,
})

const before68 = createMigration('WordPress before 6.8', async () => '$P$BUaV/wwDYHomtkoDCEeLanJZaLj6L80')

describeMigration(before68)
describeMigration(createMigration('WordPress 6.8', hashAsWordPress))

describe('a client of the WordPress plugin', () => {
  it('validates its old token at the same route until the token has expired', async () => {
    const { app, headers, world } = await startMigration(before68)
    const validate = (sent: OldHeaders) => request(app).post(`${namespace}/token/validate`).set(sent)
    await validate(headers).expect(200, { code: 'jwt_auth_valid_token', data: { status: 200 } })
    await validate(await before68.expire(headers, world)).expect(401)
  })

  it('logs in at the same route with the e-mail address of the WordPress user, and receives the same members', async () => {
    const { logIn } = await startMigration(before68)
    const { body } = await logIn(password, 'ann@example.com').expect(200)
    const members = { user_email: 'ann@example.com', user_nicename: 'ann-roe', user_display_name: 'Ann Roe' }
    expect(body).toMatchObject({ token: expect.any(String), ...members, roles: ['editor', 'shop_manager'] })
    await logIn('another password', 'ann@example.com').expect(403)
  })
})

const databases = (await findDatabases()).filter(({ name }) => name !== 'PostgreSQL')

describeEach(databases, 'a user of WordPress on $name', ({ name, createDatabase }) => {
  beforeAll(hashCheaply)

  // The pages of WordPress store a password with backslashes before quotes.
  const [quoted, stored] = ['say "hi", it\'s me', 'say \\"hi\\", it\\\'s me']

  it.each(['Jane Döe', 'jane döe', 'JANE DÖE', 'Jane.Doe@Example.org', 'jane.doe@example.org'])(
    `on ${name} logs in as %s, with a password with quotes, from a form`,
    async (username) => {
      const { connect, drop } = await createDatabase()
      onTestFinished(drop)
      const database = connect()
      await createUsers(database, {
        user_login: 'Jane Döe',
        user_pass: await hashAsWordPress(stored),
        user_nicename: 'jane-doe',
        user_email: 'Jane.Doe@Example.org',
        display_name: 'Jane',
      })
      await knexStorage(database).migrate()
      await createOldLoginsTable(database)
      const secrets = { secret: randomBytes(48).toString('base64url'), oldSecret: 'unused' }
      const app = createNewApp({ ...secrets, database, site, now: Date.now, options: { callTimeoutMs: 60_000 } })
      const logIn = (form: object) => request(app).post(`${namespace}/token`).type('form').send(form)
      await logIn({ username, password: quoted }).expect(200)
      await logIn({ username, password: quoted.replace('"', '') }).expect(403)
      await logIn({ username: 'Jane Doe', password: quoted }).expect(403)
    },
  )
})
