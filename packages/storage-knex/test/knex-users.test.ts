import { hashPassword } from '@jwt-auth/core'
import { knexUsers } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const columns = {
  id: 'user_id',
  username: 'login',
  passwordHash: 'pass_hash',
  email: 'mail',
  nicename: 'slug',
  displayName: 'full_name',
}
const ada = { id: 7, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada', link: '', disabled: false }
const password = 'pass phrase'
const cost = 4

describe.each(await findDatabases())('knexUsers on $name', async ({ name, createDatabase }) => {
  // SQLite has no dates; knex writes milliseconds.
  const isDateless = name === 'SQLite'
  const database = await createDatabase()
  const knex = database.connect()
  const users = knexUsers(knex, { table: 'people', columns, cost })
  const passwordHash = await hashPassword(password, { cost })
  const row = {
    user_id: 7,
    login: 'ada',
    pass_hash: passwordHash,
    mail: 'ada@example.com',
    slug: 'ada',
    full_name: 'Ada',
  }

  beforeAll(() =>
    knex.schema.createTable('people', (table) => {
      table.bigInteger('user_id').primary()
      table.string('login').notNullable()
      table.string('pass_hash')
      table.string('mail')
      table.string('slug')
      table.string('full_name')
      table.boolean('is_blocked')
      table.integer('version')
      table.string('external_id')
      table.dateTime('changed_at')
    }),
  )
  beforeEach(async () => {
    await knex('people').delete()
    await knex('people').insert(row)
  })
  afterAll(() => database.drop())

  it('finds a user by name and password, with an integer id', async () => {
    expect(await users.verifyPassword('ada', password)).toEqual({ ...ada, credentialVersion: expect.any(String) })
    expect(await users.verifyPassword('ada', 'another')).toBeUndefined()
  })

  it('finds a user by id, and nobody by an id of another type', async () => {
    expect(await users.findById(7)).toMatchObject(ada)
    expect(await users.findById(8)).toBeUndefined()
    expect(await users.findById('7')).toBeUndefined()
  })

  it.each(['ADA', 'ada ', 'àda', 'a%', 'ada\0', '', '0'])('knows nobody by the name %j', async (name) => {
    expect(await users.verifyPassword(name, password)).toBeUndefined()
  })

  it('answers empty text for columns without a value, and refuses a user without a password', async () => {
    await knex('people').update({ mail: null, slug: null, full_name: null, pass_hash: null })
    expect(await users.findById(7)).toMatchObject({ email: '', nicename: '', displayName: '' })
    expect(await users.verifyPassword('ada', password)).toBeUndefined()
  })

  it('derives a credential version that changes with the password', async () => {
    const before = await users.findById(7)
    await knex('people').update({ pass_hash: await hashPassword('another', { cost }) })
    const after = await users.findById(7)
    expect(after?.credentialVersion).not.toBe(before?.credentialVersion)
  })

  it('reads the credential version and the blocked users from columns of the host', async () => {
    const withColumns = { ...columns, credentialVersion: 'version', disabled: 'is_blocked' }
    const strict = knexUsers(knex, { table: 'people', columns: withColumns, cost })
    await knex('people').update({ version: 3, is_blocked: false })
    expect(await strict.verifyPassword('ada', password)).toMatchObject({ credentialVersion: '3', disabled: false })
    await knex('people').update({ is_blocked: true })
    expect(await strict.findById(7)).toMatchObject({ disabled: true })
    expect(await strict.verifyPassword('ada', password)).toBeUndefined()
  })

  it('refuses a date as credential version, which depends on the time zone of who reads it', async () => {
    const dated = knexUsers(knex, { table: 'people', columns: { ...columns, credentialVersion: 'changed_at' }, cost })
    await knex('people').update({ changed_at: new Date(1_767_225_600_000) })
    const read = dated.findById(7)
    if (isDateless) await expect(read).resolves.toMatchObject({ credentialVersion: '1767225600000' })
    else await expect(read).rejects.toMatchObject({ cause: { message: expect.stringContaining('use a counter') } })
  })

  it('keeps text ids as text', async () => {
    const textual = knexUsers(knex, {
      table: 'people',
      columns: { ...columns, id: 'external_id' },
      idType: 'text',
      cost,
    })
    await knex('people').update({ external_id: '0042' })
    expect(await textual.verifyPassword('ada', password)).toMatchObject({ id: '0042' })
    expect(await textual.findById('0042')).toMatchObject({ id: '0042' })
    expect(await textual.findById(42)).toBeUndefined()
  })

  it('says so when an id is no whole number', async () => {
    const wrong = knexUsers(knex, { table: 'people', columns: { ...columns, id: 'login' }, cost })
    await expect(wrong.verifyPassword('ada', password)).rejects.toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: { message: expect.stringContaining("idType: 'text'") },
    })
  })
})

describe('knexUsers', async () => {
  const [database] = await findDatabases()
  const fresh = await database?.createDatabase()
  const knex = fresh?.connect()
  afterAll(() => fresh?.drop())

  it.each([
    ['table', { table: '', columns }],
    ['columns.email', { table: 'people', columns: { ...columns, email: '' } }],
    ['idType', { table: 'people', columns, idType: 'uuid' }],
    ['cost', { table: 'people', columns, cost: 3 }],
  ])('refuses a wrong %s', (name, options) => {
    expect(() => Reflect.apply(knexUsers, undefined, [knex, options])).toThrow(name)
  })
})
