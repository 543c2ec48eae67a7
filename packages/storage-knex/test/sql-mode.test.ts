import { randomBytes } from 'node:crypto'
import { createTokenService } from '@jwt-auth/core'
import { createUsersTable, knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { sqlStorage } from '@jwt-auth/storage-sql'
import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { expect, it, onTestFinished } from 'vitest'

const [, , server] = await findDatabases()

const findUser = async (id: unknown) => ({ id: Number(id), email: '', nicename: '', displayName: '' })
const users = { findByUsername: () => findUser(8), findById: findUser, verifyPassword: async () => true }
const options = { secret: randomBytes(32), issuer: 'https://a.example', users, callTimeoutMs: 60_000 }

interface Connection {
  query(statement: string, done: () => void): void
}
const setMode = (connection: Connection, done = () => {}) =>
  connection.query("set sql_mode = 'NO_BACKSLASH_ESCAPES'", done)
const setCharset =
  (charset: string) =>
  (connection: Connection, done = () => {}) =>
    connection.query(`set names ${charset}`, done)

// In this mode, the escaped quote ends the value, and the rest is SQL.
const device = { userAgent: "', recent_verifiers = char(91, 93), user_id = char(55) #" }
const refused = { message: expect.stringContaining('(NO_BACKSLASH_ESCAPES); remove this mode from sql_mode') }

describeEach([server], 'unsafe connections to $name', async ({ createDatabase }) => {
  it('in the SQL mode NO_BACKSLASH_ESCAPES receive no value from mysql2Executor, knexStorage and knexUsers', async () => {
    const database = await createDatabase()
    const safe = database.connect()
    const knex = database.connect({ min: 0, max: 10, afterCreate: setMode })
    const pool = safe.client.driver.createPool(database.url)
    pool.on('connection', (connection: Connection) => setMode(connection))
    onTestFinished(async () => {
      await pool.promise().end()
      await database.drop()
    })
    const storage = knexStorage(safe)
    await storage.migrate()
    const service = createTokenService({ ...options, storage })

    for (const unsafe of [sqlStorage(mysql2Executor(pool)), knexStorage(knex)]) {
      const { refreshToken } = await service.login({ username: 'eve', password: 'x' })
      const refreshing = createTokenService({ ...options, storage: unsafe }).refresh(refreshToken, { device })
      await expect(refreshing).rejects.toMatchObject({ code: 'jwt_auth_unavailable', cause: refused })
      expect(await safe('jwt_auth_sessions').distinct('user_id')).toEqual([{ user_id: '8' }])
      await expect(unsafe.migrate()).rejects.toMatchObject(refused)
      expect(await unsafe.status()).toMatchObject({ isReady: false, error: refused })
    }
    await createUsersTable(safe)
    await expect(knexUsers(knex).check()).rejects.toMatchObject(refused)
    await expect(knexUsers(knex).findById(8)).rejects.toMatchObject(refused)
  })

  it('with a character set other than UTF-8, in MySQL or in mysql2, receive no value', async () => {
    const database = await createDatabase()
    const knex = database.connect({ min: 0, max: 1, afterCreate: setCharset('cp932') })
    const latin2 = database.connect({ min: 0, max: 1, afterCreate: setCharset('latin2') })
    // mysql2 sends the last byte of each character, which is a quote for `ħ`.
    const latin1 = knex.client.driver.createPool(`${database.url}?charset=latin1`)
    const unreported = knex.client.driver.createPool(`${database.url}?charset=latin1`)
    unreported.on('connection', (connection: Connection) => {
      connection.query("set session_track_system_variables = ''", () => {})
      setCharset('utf8mb4')(connection)
    })
    onTestFinished(async () => {
      for (const pool of [latin1, unreported]) await pool.promise().end()
      await database.drop()
    })
    const refusal = { message: expect.stringContaining("(UNSAFE_CHARACTER_SET); connect with `charset: 'utf8mb4'`") }
    await expect(knexStorage(knex).findByIds(['id'])).rejects.toMatchObject(refusal)
    await expect(knexUsers(latin2).findById(8)).rejects.toMatchObject(refusal)
    for (const pool of [latin1, unreported]) {
      await expect(sqlStorage(mysql2Executor(pool)).findByIds(['id'])).rejects.toMatchObject(refusal)
    }
  })
})
