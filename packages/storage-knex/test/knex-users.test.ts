import { inspect } from 'node:util'
import type { UserDirectory } from '@jwt-auth/core'
import { machineSystem } from '@jwt-auth/core/internal'
import { createHashingQueue, hashPassword } from '@jwt-auth/passwords'
import { createUsersTable, knexUsers } from '@jwt-auth/storage-knex'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import { findByCredentials, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import createKnex, { type Knex } from 'knex'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it, vi } from 'vitest'

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
// Of that password: plain bcrypt, 60 characters.
const plainHash = '$2b$04$bvIG6Nmid91Mu9RcmmWZfOtRp7Ps.N5KO1jyXlgiKtbn8sESEDtwC'

// A busy server may need more than the second that replacing a hash may take.
const startTimer = vi.spyOn(machineSystem, 'startTimer').mockReturnValue(() => {})
afterAll(() => startTimer.mockRestore())

describeEach(await findDatabases(), 'knexUsers on $name', async ({ name, createDatabase }) => {
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
      table.string('role')
      table.binary('raw')
    }),
  )
  beforeEach(async () => {
    await knex('people').delete()
    await knex('people').insert(row)
  })
  afterAll(() => database.drop())

  it('finds a user by name and password, with an integer id', async () => {
    const expected = { ...ada, username: 'ada', credentialVersion: expect.any(String) }
    expect(await findByCredentials(users, 'ada', password)).toEqual(expected)
    expect(await findByCredentials(users, 'ada', 'another')).toBeUndefined()
  })

  it('fails without the typed name in the error', async () => {
    const elsewhere = knexUsers(knex, { table: 'nowhere', columns, cost })
    const typed = 'a password in the field of the name'
    const failure: unknown = await findByCredentials(elsewhere, typed, password).catch((reason: unknown) => reason)
    expect(failure).toBeInstanceOf(Error)
    expect(inspect(failure, { depth: 9 })).not.toContain(typed)
    expect(inspect(failure, { depth: 9 })).toContain('could not look a user up')
  })

  it.each([
    ['nowhere', { table: 'nowhere' }, 'option `table` or create the table'],
    ['slugg', { columns: { ...columns, nicename: 'slugg' } }, 'option `columns.nicename`'],
    ['people.nick', { columns: { ...columns, username: 'people.nick' } }, 'option `columns.username`'],
    [
      'gone',
      { columns: { ...columns, disabled: 'gone', link: 'gone' } },
      'option `columns.link` and `columns.disabled`',
    ],
    ['rolle', { extraColumns: { role: 'rolle' } }, 'option `extraColumns.role`'],
  ])(
    'names the table or column %s that is missing, and its options, in a failing lookup',
    async (missing, changes, fix) => {
      const fault =
        missing === 'nowhere'
          ? 'the table `nowhere` does not exist'
          : `the table \`people\` has no column \`${missing}\``
      const advice = `${fault}: correct the ${fix}`
      const wrong = knexUsers(knex, { table: 'people', columns, cost, ...changes })
      const message = expect.stringMatching(/^jwt-auth: knexUsers could not look a user up \([A-Z0-9_]+\); /)
      const expected = { code: expect.any(String), message }
      await expect(findByCredentials(wrong, 'ada', password)).rejects.toMatchObject(expected)
      await expect(findByCredentials(wrong, 'ada', password)).rejects.toThrow(advice)
      await expect(wrong.findById(7)).rejects.toThrow(advice)
    },
  )

  it('finds a user by id, and nobody by an id of another type', async () => {
    expect(await users.findById(7)).toMatchObject(ada)
    expect(await users.findById(8)).toBeUndefined()
    const untyped: UserDirectory = users
    expect(await untyped.findById('7')).toBeUndefined()
  })

  it('finds nobody by another name', async () => {
    for (const name of ['\u00e0da', 'ad\u0430', 'a%', 'ad_', '0', 'true', '7', '\u{10330}']) {
      expect([name, await findByCredentials(users, name, password)]).toEqual([name, undefined])
    }
  })

  // With MariaDB's default collation these are one name. Each database has other collations.
  describe('with names that are equal in some collations', () => {
    const stored = { 10: 'Zo\u00eb', 11: 'zoe', 12: 'ZOE', 13: 'zoe ', 14: 'zo\u00eb2' }

    beforeEach(() =>
      knex('people').insert(Object.entries(stored).map(([id, login]) => ({ ...row, user_id: Number(id), login }))),
    )

    it.each([
      ['zoe', 11],
      ['Zoe', 11],
      ['ZOE', 12],
      ['zoe ', 13],
      [' zoe', 11],
      ['Zo\u00eb', 10],
      ['ZO\u00cb2', 14],
    ])('finds by %j only the user with this name, or with its canonical form: %s', async (name, id) => {
      expect((await findByCredentials(users, name, password))?.id).toBe(id)
    })

    it.each(['zo\u00eb', 'z\u00f6e'])('finds nobody by %j', async (name) => {
      expect(await findByCredentials(users, name, password)).toBeUndefined()
    })
  })

  it('rejects when two users have one name', async () => {
    await knex('people').insert({ ...row, user_id: 8 })
    await expect(findByCredentials(users, 'ada', password)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('the column of user names must be unique') },
    })
  })

  it('returns no names and empty text for columns without a value, and authenticates no user without a password', async () => {
    await knex('people').update({ mail: null, slug: null, full_name: null, pass_hash: null })
    expect(await users.findById(7)).toMatchObject({ email: '', nicename: undefined, displayName: undefined })
    expect(await findByCredentials(users, 'ada', password)).toBeUndefined()
  })

  it('returns no names for a table without columns for them', async () => {
    const { nicename, displayName, ...few } = columns
    const nameless = knexUsers(knex, { table: 'people', columns: few, cost })
    const expected = { username: 'ada', email: 'ada@example.com', nicename: undefined, displayName: undefined }
    expect(await findByCredentials(nameless, 'ada', password)).toMatchObject(expected)
  })

  it('reads the credential version and disabled users from columns of the application', async () => {
    const withColumns = { ...columns, credentialVersion: 'version', disabled: 'is_blocked' }
    const strict = knexUsers(knex, { table: 'people', columns: withColumns, cost })
    await knex('people').update({ version: 3, is_blocked: false })
    expect(await findByCredentials(strict, 'ada', password)).toMatchObject({ credentialVersion: '3', disabled: false })
    await knex('people').update({ is_blocked: true })
    expect(await strict.findById(7)).toMatchObject({ disabled: true })
    expect(await findByCredentials(strict, 'ada', password)).toBeUndefined()
  })

  it('looks for the columns of createUsersTable that `columns` does not name', async () => {
    const { passwordHash: _, ...others } = columns
    await expect(knexUsers(knex, { table: 'people', columns: others }).check()).rejects.toThrow(
      'the table `people` has no column `password_hash`: correct the option `columns.passwordHash`',
    )
  })

  it('adds further columns to the user, under the names of the option', async () => {
    const withRole = knexUsers<{ role: 'admin' | null }>(knex, {
      table: 'people',
      columns,
      extraColumns: { role: 'people.role' },
      cost,
    })
    await knex('people').update({ role: 'admin' })
    expect(await findByCredentials(withRole, 'ada', password)).toMatchObject({ ...ada, role: 'admin' })
    const user = await withRole.findById(7)
    expectTypeOf(user?.role).toEqualTypeOf<'admin' | null | undefined>()
    expect(user?.role).toBe('admin')
    await knex('people').update({ role: null })
    expect(await withRole.findById(7)).toMatchObject({ role: null })
  })

  it('rejects a date as credential version, because it depends on the time zone', async () => {
    const dated = knexUsers(knex, { table: 'people', columns: { ...columns, credentialVersion: 'changed_at' }, cost })
    await knex('people').update({ changed_at: new Date(1_767_225_600_000) })
    const read = dated.findById(7)
    if (isDateless) await expect(read).resolves.toMatchObject({ credentialVersion: '1767225600000' })
    else await expect(read).rejects.toMatchObject({ cause: { message: expect.stringContaining('of the type Date') } })
  })

  const withTextIds = { table: 'people', columns: { ...columns, id: 'external_id' }, idType: 'text', cost } as const

  it('finds a user by a password whose hash is in a column that pads it with spaces', async () => {
    await knex('people').update({ pass_hash: `${passwordHash}   ` })
    expect(await findByCredentials(users, 'ada', password)).toMatchObject({ id: 7 })
  })

  it('keeps text ids as text', async () => {
    const textual = knexUsers(knex, withTextIds)
    await knex('people').update({ external_id: '0042' })
    expect(await findByCredentials(textual, 'ada', password)).toMatchObject({ id: '0042' })
    expect(await textual.findById('0042')).toMatchObject({ id: '0042' })
    const untyped: UserDirectory = textual
    expect(await untyped.findById(42)).toBeUndefined()
  })

  it('distinguishes ids that are equal in a collation', async () => {
    const textual = knexUsers(knex, withTextIds)
    await knex('people').update({ external_id: 'A' })
    await knex('people').insert({ ...row, user_id: 8, login: 'bob', slug: 'bob', external_id: 'a' })
    expect(await textual.findById('A')).toMatchObject({ id: 'A', nicename: 'ada' })
    expect(await textual.findById('a')).toMatchObject({ id: 'a', nicename: 'bob' })
    expect(await textual.findById('\u00e0')).toBeUndefined()
  })

  describe('with the option rehash', () => {
    const options = { table: 'people', columns: { ...columns, credentialVersion: 'version' }, cost: cost + 1 }
    const failures: unknown[] = []
    const logIn = (users: UserDirectory) =>
      findByCredentials(users, 'ada', password, { reportFault: (_, cause) => failures.push(cause) })
    const rehashing = knexUsers(knex, { ...options, rehash: true })
    const storedHash = async (): Promise<unknown> => (await knex('people').pluck('pass_hash'))[0]

    beforeEach(async () => {
      failures.length = 0
      await knex('people').update({ version: 1 })
    })

    it('replaces a hash at the login, once, and keeps the credential version', async () => {
      expect(await logIn(rehashing)).toMatchObject({ id: 7, credentialVersion: '1' })
      const replaced = await storedHash()
      expect(replaced).toMatch(/^\$jwtauth1\$2b\$05\$/)
      expect(await logIn(rehashing)).toMatchObject({ id: 7, credentialVersion: '1' })
      expect(await storedHash()).toBe(replaced)
      expect(failures).toEqual([])
    })

    it('does not undo a concurrent password change', async () => {
      const changed = await hashPassword('battery staple', { cost })
      const racing = knexUsers(knex, {
        ...options,
        rehash: true,
        queue: {
          run: async (work) => {
            const result = await work()
            await knex('people').update({ pass_hash: changed, version: 2 })
            return result
          },
        },
      })
      await logIn(racing)
      expect(await storedHash()).toBe(changed)
    })

    it('replaces a hash once during two concurrent logins', async () => {
      const queue = createHashingQueue({ concurrency: 2 })
      const one = knexUsers(knex, { ...options, queue, rehash: true })
      const logins = await Promise.all([
        findByCredentials(one, 'ada', password),
        findByCredentials(one, 'ada', password),
      ])
      expect(logins.map((user) => user?.id)).toEqual([7, 7])
      expect(await logIn(one)).toMatchObject({ id: 7 })
      expect(failures).toEqual([])
    })

    // The width of a plain bcrypt hash; the new ones need 69 characters.
    describe('in a column that is too short for the new hash', () => {
      const narrow = { ...options, table: 'narrow', rehash: true }

      beforeEach(async () => {
        await knex.schema.dropTableIfExists('narrow')
        await knex.schema.createTable('narrow', (table) => {
          table.integer('user_id').primary()
          for (const column of ['login', 'mail', 'slug', 'full_name']) table.string(column)
          table.string('pass_hash', 60)
          table.integer('version')
        })
        await knex('narrow').insert({ ...row, pass_hash: plainHash, version: 1 })
      })

      const expectUnharmed = async (users: UserDirectory) => {
        const [before] = await knex('narrow').pluck('pass_hash')
        expect(await logIn(users)).toMatchObject({ id: 7 })
        const [after] = await knex('narrow').pluck('pass_hash')
        // SQLite keeps to no width.
        if (name === 'SQLite') expect(after).toMatch(/^\$jwtauth1/)
        else expect(after).toBe(before)
        expect(failures).toHaveLength(name === 'SQLite' ? 0 : 1)
        expect(inspect(failures, { depth: null })).not.toMatch(/\$2b\$/)
        expect(await logIn(users)).toMatchObject({ id: 7 })
      }

      it('authenticates the user, keeps the hash, and logs neither hash', () => expectUnharmed(knexUsers(knex, narrow)))

      it('keeps the hash when MySQL would cut the new one', async () => {
        const lenient = database.connect({ min: 1, max: 1 })
        if (name === 'MariaDB') await lenient.raw("set session sql_mode = ''")
        await expectUnharmed(knexUsers(lenient, narrow))
      })
    })
  })

  it('finds nobody by a name with characters that the column cannot hold', async () => {
    if (name === 'MariaDB') await knex.raw('alter table people modify login varchar(255) character set latin1')
    expect(await findByCredentials(users, '\u03c0', password)).toBeUndefined()
    expect(await findByCredentials(users, '\uff21\uff24\uff21', password)).toMatchObject(ada)
  })

  it('finds users by numbers in a column of numbers, and nobody by another name', async () => {
    const numbered = knexUsers(knex, { table: 'people', columns: { ...columns, username: 'user_id' }, cost })
    expect(await findByCredentials(numbered, '7', password)).toMatchObject({ id: 7, username: '7' })
    for (const name of ['8', 'ada', '07', '9'.repeat(30)]) {
      expect([name, await findByCredentials(numbered, name, password)]).toEqual([name, undefined])
    }
  })

  /** Expects that `check`, the lookup by name and the lookup by id name the column. */
  const expectRefused = async (
    wrong: UserDirectory & { check(): Promise<void> },
    message: string,
    id: number | string,
  ) => {
    const cause = { message: expect.stringContaining(message) }
    await expect(wrong.check()).rejects.toMatchObject(cause)
    await expect(wrong.findByUsername('ada')).rejects.toMatchObject({ code: 'jwt_auth_internal_error', cause })
    if (id !== '') await expect(wrong.findById(id)).rejects.toMatchObject({ code: 'jwt_auth_internal_error', cause })
  }

  it.each(['007', '1e3', '0x10', ' 7', '7.0', '+7', '-0', '', 'ada', '9007199254740993'])(
    'refuses the id %j, which is not the text of a whole number',
    async (id) => {
      await knex('people').update({ external_id: id })
      const wrong = knexUsers(knex, { table: 'people', columns: { ...columns, id: 'external_id' }, cost })
      const fault = 'of the type String in the column `external_id`; `columns.id` must name a column of whole numbers'
      await expectRefused(wrong, fault, '')
    },
  )

  it.each(['integer', 'text'] as const)('refuses binary ids as %s', async (idType) => {
    await knex('people').update({ raw: Buffer.from('0042') })
    const wrong = knexUsers(knex, { table: 'people', columns: { ...columns, id: 'raw' }, idType, cost })
    await expectRefused(wrong, 'in the column `raw`; `columns.id` must name a column of ', '')
  })

  it.each(['username', 'passwordHash', 'email', 'nicename', 'displayName', 'link', 'credentialVersion'])(
    'refuses bytes as %s',
    async (member) => {
      await knex('people').update({ raw: Buffer.from('ada') })
      const wrong = knexUsers(knex, { table: 'people', columns: { ...columns, [member]: 'raw' }, cost })
      await expect(wrong.check()).rejects.toThrow(`in the column \`raw\`; \`columns.${member}\` must name`)
    },
  )

  describe('with a column of disabled users', () => {
    const bit = { PostgreSQL: ["'0'", "'1'"], MariaDB: ["b'0'", "b'1'"], SQLite: ['0', '1'] }[name]
    const types: readonly (readonly [type: string, enabled: readonly string[], disabled: readonly string[]])[] = [
      ['boolean', ['false', 'null'], ['true']],
      ['smallint', ['0', 'null'], ['1']],
      ['bigint', ['0'], ['1', '1767225600', '1767225600000']],
      ['bit(1)', [bit?.[0] ?? ''], [bit?.[1] ?? '']],
      ['varchar(30)', ["'0'", "'false'"], ["'1'", "'true'", "'2026-01-01 00:00:00'", "'2026-01-01T00:00:00.000Z'"]],
      [name === 'MariaDB' ? 'datetime' : 'timestamp', ['null'], ["'2026-01-01 00:00:00'"]],
    ]
    const refused: readonly (readonly [type: string, value: string])[] = [
      ['smallint', '2'],
      ['smallint', '-1'],
      ['varchar(30)', "'active'"],
      ['varchar(30)', "''"],
      ['varchar(30)', "'0000-00-00 00:00:00'"],
      [name === 'PostgreSQL' ? 'bytea' : 'varbinary(30)', name === 'PostgreSQL' ? "'\\x3030'" : "x'3030'"],
    ]
    const marked = knexUsers(knex, { table: 'people', columns: { ...columns, disabled: 'mark' }, cost })
    const store = async (type: string, value: string): Promise<void> => {
      await knex.raw(`alter table people add column mark ${type}`)
      await knex.raw(`update people set mark = ${value}`)
    }
    afterEach(() => knex.schema.alterTable('people', (table) => table.dropColumn('mark')))

    it.each([
      ...types.flatMap(([type, enabled]) => enabled.map((value) => [type, value, false] as const)),
      ...types.flatMap(([type, , disabled]) => disabled.map((value) => [type, value, true] as const)),
    ])('reads %s %s as %s', async (type, value, disabled) => {
      await store(type, value)
      await marked.check()
      expect(await marked.findById(7)).toMatchObject({ disabled })
      expect((await findByCredentials(marked, 'ada', password)) === undefined).toBe(disabled)
    })

    it.each(refused)('refuses %s %s', async (type, value) => {
      await store(type, value)
      const fault = 'in the column `mark`; `columns.disabled` must name a column of true or false'
      await expectRefused(marked, fault, 7)
    })
  })

  it('reads only the rows with the condition of the option where, and only they may have one name', async () => {
    const conditional = { table: 'people', columns: { ...columns, credentialVersion: 'version' } }
    const present = knexUsers(knex, {
      ...conditional,
      where: (query) => query.whereNull('changed_at').orWhere('role', 'kept'),
      rehash: true,
      cost: cost + 1,
    })
    const deleted = { changed_at: new Date(1_767_225_600_000), pass_hash: plainHash, version: 1 }
    await knex('people').update({ version: 1 })
    await knex('people').insert([
      { ...row, ...deleted, user_id: 8 },
      { ...row, ...deleted, user_id: 9, login: 'bob', role: 'kept' },
    ])
    await present.check()
    expect(await findByCredentials(present, 'ada', password)).toMatchObject({ id: 7 })
    expect(await findByCredentials(present, 'bob', password)).toMatchObject({ id: 9 })
    expect(await present.findById(8)).toBeUndefined()
    const hashes = await knex('people').orderBy('user_id').pluck('pass_hash')
    expect(hashes.map((hash: string) => hash.startsWith('$jwtauth1$2b$05'))).toEqual([true, false, true])
  })

  it.each([
    ['a promise', async () => {}],
    ['text', () => 'deleted_at is null'],
    ['another query', () => knex('people').whereNull('changed_at')],
  ])('refuses a condition that returns %s, because the query would have no condition', async (_, where) => {
    const wrong = knexUsers(knex, {
      table: 'people',
      columns,
      cost,
      where: (query) => Reflect.apply(where, query, [query]),
    })
    await expect(wrong.check()).rejects.toThrow('option `where` of knexUsers returned another value')
  })

  it('refuses an empty id', async () => {
    await knex('people').update({ external_id: '' })
    const named = knexUsers(knex, { table: 'people', columns: { ...columns, id: 'external_id' }, idType: 'text', cost })
    await expectRefused(named, 'in the column `external_id`; `columns.id` must name', '')
  })

  const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const toCamel = (name: string): string => name.toLowerCase().replace(/_(\w)/g, (_, letter) => letter.toUpperCase())
  const rename = (convert: (name: string) => string) => (rows: unknown) =>
    Array.isArray(rows)
      ? rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [convert(name), value])))
      : rows

  it.each([
    ['from camel case', { wrapIdentifier: (name, origImpl) => origImpl(toSnake(name)) }],
    ['to camel case', { postProcessResponse: rename(toCamel) }],
    [
      'both ways',
      { wrapIdentifier: (name, origImpl) => origImpl(toSnake(name)), postProcessResponse: rename(toCamel) },
    ],
    ['to capital letters', { postProcessResponse: rename((name) => name.toUpperCase()) }],
  ] satisfies [string, Knex.Config][])(
    'keeps all members of a user when knex converts names %s',
    async (_, converters) => {
      const converting = createKnex({ ...knex.client.config, ...converters })
      try {
        await knex('people').update({ role: 'admin', version: 3 })
        const withVersion = { ...columns, credentialVersion: 'version' }
        const extraColumns = { orgID: 'role', org_name: 'full_name' }
        const options = { table: 'people', columns: withVersion, extraColumns, cost: cost + 1 }
        const converted = knexUsers(converting, { ...options, rehash: true })
        await converted.check()
        const failures: unknown[] = []
        const user = await findByCredentials(converted, 'ada', password, {
          reportFault: (_, cause) => failures.push(cause),
        })
        expect(user).toEqual({ ...ada, username: 'ada', credentialVersion: '3', orgID: 'admin', org_name: 'Ada' })
        expect(failures).toEqual([])
        expect(await knex('people').pluck('pass_hash')).toEqual([expect.stringContaining('$2b$05$')])
      } finally {
        await converting.destroy()
      }
    },
  )

  it('fails when knex drops members of a row', async () => {
    const dropNull = (rows: unknown) =>
      Array.isArray(rows)
        ? rows.map((row) => Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)))
        : rows
    const dropping = createKnex({ ...knex.client.config, postProcessResponse: dropNull })
    try {
      await knex('people').update({ mail: null })
      await expectRefused(knexUsers(dropping, { table: 'people', columns, cost }), 'must keep all members of a row', 7)
    } finally {
      await dropping.destroy()
    }
  })
})

it('knexUsers reads the integers of SQLite as bigints', async () => {
  const afterCreate = (
    connection: { defaultSafeIntegers(): void },
    done: (error: null, connection: object) => void,
  ) => {
    connection.defaultSafeIntegers()
    done(null, connection)
  }
  const knex = createKnex({ ...sqliteConfig(':memory:'), pool: { min: 1, max: 1, afterCreate } })
  try {
    await createUsersTable(knex)
    const passwordHash = await hashPassword(password, { cost })
    await knex('users').insert({ username: 'ada', email: '', password_hash: passwordHash, credential_version: 'v' })
    const users = knexUsers(knex, { cost })
    expect(await findByCredentials(users, 'ada', password)).toMatchObject({ id: 1, disabled: false })
    await knex('users').update({ disabled: true })
    expect(await users.findById(1)).toMatchObject({ disabled: true })
  } finally {
    await knex.destroy()
  }
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
    ['jwt-auth: option `cost`', { table: 'people', columns, cost: 3 }],
    ['rehash', { table: 'people', columns, rehash: 'yes' }],
    ['jwt-auth: option `knexUsers.where` must be a function', { table: 'people', columns, where: 'active' }],
    ['columns.credentialVersion', { table: 'people', columns, rehash: true }],
    ['jwt-auth: knexUsers has no option `idtype`', { table: 'people', columns, idtype: 'text' }],
    ['To add a further column to your users, use the option `extraColumns`', { columns: { ...columns, role: 'role' } }],
    [
      'knexUsers.columns has no option `disable` (did you mean `disabled`?)',
      { columns: { ...columns, disable: 'disabled' } },
    ],
    ['query.where({ is_active: true })', { columns: { ...columns, disabled: 'is_active' } }],
    ['knexUsers.extraColumns must not have `passwordHash`', { columns, extraColumns: { passwordHash: 'role' } }],
    ['jwt-auth: option `knexUsers.extraColumns.role` must be', { table: 'people', columns, extraColumns: { role: 1 } }],
    ['jwt-auth: option `knexUsers.extraColumns` must be', { table: 'people', columns, extraColumns: 'role' }],
    ['knexUsers.extraColumns must not have `0`', { extraColumns: ['role'] }],
    ['the options of knexUsers.columns must be an object; received an array', { columns: ['id'] }],
    ['(did you mean `passwordHash`?)', { columns: { password_hash: 'hash' } }],
    ['jwt-auth: the options of knexUsers must be an object; received a string', 'users'],
    ['letters, digits and _', { table: 'people', columns, extraColumns: { 'a role': 'role' } }],
  ])('throws for a wrong %s', (name, options) => {
    expect(() => Reflect.apply(knexUsers, undefined, [knex, options])).toThrow(name)
  })

  it('gives further columns the type unknown without a type parameter', () => {
    const users = knexUsers(knex, { table: 'people', columns, extraColumns: { role: 'role', isAdmin: 'is_admin' } })
    type Found = NonNullable<Awaited<ReturnType<typeof users.findById>>>
    expectTypeOf<Found['isAdmin']>().toBeUnknown()
    expectTypeOf<Found['email']>().toBeString()
    expectTypeOf<Found>().not.toHaveProperty('roles')
  })
})
