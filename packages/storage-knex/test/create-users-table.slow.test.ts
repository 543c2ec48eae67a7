import { canonicalUsername, hashPassword } from '@jwt-auth/passwords'
import { createUsersTable, knexUsers } from '@jwt-auth/storage-knex'
import { findByCredentials, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import type { Knex } from 'knex'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'

const password = 'correct horse battery staple'
const passwordHash = await hashPassword(password, { cost: 4 })

const insert = async (knex: Knex, username: string, values: object = {}): Promise<void> => {
  const row = { username, email: `${username}@example.com`, password_hash: passwordHash, credential_version: username }
  await knex('users').insert({ ...row, ...values })
}

describeEach(await findDatabases(), 'the table of users of a new application on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  let knex: Knex

  beforeEach(() => {
    knex = database.connect()
  })
  afterEach(() => database.empty())
  afterAll(() => database.drop())

  it('has the columns that knexUsers reads by default', async () => {
    await createUsersTable(knex)
    await insert(knex, 'ann')
    const users = knexUsers(knex, { cost: 4 })
    await users.check()
    expect(await findByCredentials(users, 'Ann', password)).toEqual({
      id: 1,
      username: 'ann',
      email: 'ann@example.com',
      nicename: undefined,
      displayName: undefined,
      link: '',
      disabled: false,
      credentialVersion: 'ann',
    })
    await knex('users').update({ disabled: true, display_name: 'Ann Roe' })
    expect(await users.findById(1)).toMatchObject({ disabled: true, displayName: 'Ann Roe' })
    expect(await findByCredentials(users, 'ann', password)).toBeUndefined()
  })

  it('holds hashes that a login replaces, users without a password, and the longest values', async () => {
    await createUsersTable(knex)
    const name = canonicalUsername('x'.repeat(255)) ?? ''
    await insert(knex, name, {
      email: 'e'.repeat(255),
      display_name: 'd'.repeat(255),
      credential_version: 'c'.repeat(64),
    })
    await insert(knex, 'zo\u00eb', { password_hash: null })
    const users = knexUsers(knex, { cost: 5, rehash: true })
    expect(await findByCredentials(users, name, password)).toMatchObject({ id: 1, credentialVersion: 'c'.repeat(64) })
    expect(await knex('users').orderBy('id').pluck('password_hash')).toEqual([expect.stringMatching(/\$05\$/), null])
    expect(await findByCredentials(users, 'zo\u00eb', password)).toBeUndefined()
  })

  it('is created by one statement, so that a crash never leaves a table whose names are not unique', async () => {
    const statements: string[] = []
    knex.on('query', ({ sql }) => statements.push(sql))
    await createUsersTable(knex)
    expect(statements.filter((sql) => /^(create|alter)/i.test(sql))).toEqual([
      expect.stringMatching(/^create table .users/),
    ])
  })

  it('refuses a second user of one name, and takes names with and without an accent for two', async () => {
    await createUsersTable(knex)
    await insert(knex, 'ann')
    await insert(knex, 'änn')
    await expect(insert(knex, 'ann')).rejects.toMatchObject({
      code: expect.stringMatching(/^(SQLITE_CONSTRAINT_UNIQUE|23505|ER_DUP_ENTRY)$/),
    })
  })

  it('never gives the id of a deleted user to another user', async () => {
    await createUsersTable(knex)
    await insert(knex, 'ann')
    await knex('users').delete()
    await insert(knex, 'bob')
    expect(await knex('users').pluck('id')).toEqual([2])
  })

  it('has the columns of the application too', async () => {
    const table = 'people'
    await createUsersTable(knex, {
      table,
      addColumns: (columns) => columns.string('role', 20).notNullable().defaultTo('member'),
    })
    await knex(table).insert({ username: 'ann', email: '', credential_version: 'v1' })
    expect(await knexUsers(knex, { table, extraColumns: { role: 'role' } }).findById(1)).toMatchObject({
      role: 'member',
    })
  })

  it('stays as it is when createUsersTable is called again', async () => {
    await createUsersTable(knex)
    await insert(knex, 'ann')
    await createUsersTable(knex)
    expect(await knex('users').pluck('username')).toEqual(['ann'])
  })

  it('stays as it is when it exists with other columns, and the error names the first missing one', async () => {
    await knex.schema.createTable('users', (columns) => columns.increments('id'))
    await expect(createUsersTable(knex)).rejects.toThrow(
      /^jwt-auth: knexUsers could not use its table \([A-Z0-9_]+\); the table `users` has no column `\w+`/,
    )
    expect(Object.keys(await knex('users').columnInfo())).toEqual(['id'])
  })

  it('is named by the error of check when it is missing', async () => {
    await expect(knexUsers(knex).check()).rejects.toThrow(
      /^jwt-auth: knexUsers could not use its table \([A-Z0-9_]+\); the table `users` does not exist: correct the option `table` or create the table$/,
    )
  })
})

describe('createUsersTable', async () => {
  const [database] = await findDatabases()
  const fresh = await database?.createDatabase()
  const knex = fresh?.connect()
  afterAll(() => fresh?.drop())

  it.each([
    ['createUsersTable has no option `columns`', { columns: {} }],
    ['createUsersTable.table', { table: 'public.users' }],
    ['createUsersTable.addColumns', { addColumns: 'role' }],
  ])('refuses a wrong option: %s', async (message, options) => {
    await expect(Reflect.apply(createUsersTable, undefined, [knex, options])).rejects.toThrow(message)
  })

  it('refuses an async addColumns, and creates no table', async () => {
    const addColumns = async () => {}
    await expect(Reflect.apply(createUsersTable, undefined, [knex, { addColumns }])).rejects.toThrow(
      'jwt-auth: createUsersTable: `addColumns` must not be async',
    )
    expect(await knex?.schema.hasTable('users')).toBe(false)
  })

  it('refuses a value that is no knex instance', async () => {
    await expect(Reflect.apply(createUsersTable, undefined, [{}])).rejects.toThrow('must be given a knex instance')
  })
})
