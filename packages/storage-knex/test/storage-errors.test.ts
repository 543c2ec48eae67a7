import { inspect } from 'node:util'
import { usageError } from '@jwt-auth/core/internal'
import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage, knexUsers } from '@jwt-auth/storage-knex'
import { toStorageError } from '@jwt-auth/storage-sql/internal/storage-error'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import createKnex from 'knex'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readColumns } from '../src/user-columns.js'
import { toUsersError } from '../src/users-error.js'

const rejectionOf = (call: () => Promise<unknown>): Promise<unknown> =>
  call().then(
    () => undefined,
    (error: unknown) => error,
  )

const databases = await findDatabases()

describeEach(databases, 'failures of knex storage on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const knex = database.connect()
  const storage = knexStorage(knex)

  beforeAll(() => storage.migrate())
  afterAll(() => database.drop())

  it.each([
    ['recent_verifiers', 'never-print-this', 'holds no valid JSON'],
    ['recent_verifiers', '"never-print-this"', 'holds an unknown value'],
    ['recent_verifiers', '[null]', 'holds an unknown value'],
    ['recent_verifiers', '[{"verifierHash":"never-print-this","salt":"","replacedAt":"0"}]', 'holds an unknown value'],
    ['user_id', 'never-print-this', 'holds no valid JSON'],
    ['user_id', '["never-print-this"]', 'holds an unknown value'],
  ])('name the column %s that holds %s, and repeat nothing of it', async (column, text, fault) => {
    const session = sampleSession(2, { id: 'never-print-the-id' })
    await storage.create(session)
    await knex.raw(`update jwt_auth_sessions set ${column} = ? where id = ?`, [text, session.id])
    const found = [...(await storage.findByIds([session.id])), await storage.findBySelectorHash(session.selectorHash)]
    const failures = found.map((each) => each !== undefined && 'error' in each && each.error)
    await knex.raw('delete from jwt_auth_sessions where id = ?', [session.id])
    const sentence = `jwt-auth: the SQL storage could not read a session: the column ${column} ${fault}.`
    expect(failures).toEqual([new TypeError(sentence), new TypeError(sentence)])
    expect(inspect(failures, { depth: null, showHidden: true })).not.toContain('never')
  })

  it('recommend migrate() when a column is missing, and repeat nothing of the statement', async () => {
    const narrow = knexStorage(knex, { table: 'narrow' })
    await narrow.migrate()
    for (const column of ['last_user_agent', 'label']) await knex.raw(`alter table narrow drop column ${column}`)
    const session = sampleSession(1, { label: 'do not print me' })
    const calls = {
      'create a session': () => narrow.create(session),
      'find sessions': async () => narrow.findByIds([session.id]),
      'find a session': () => narrow.findBySelectorHash(session.selectorHash),
      'rotate a session': () => narrow.rotate({ ...session, expectedVerifierHash: 'a' }),
    }
    for (const [purpose, call] of Object.entries(calls)) {
      const code = { SQLite: 'SQLITE_ERROR', PostgreSQL: '42703', MariaDB: 'ER_BAD_FIELD_ERROR' }[name]
      const message = `jwt-auth: the SQL storage could not ${purpose} (${code}); its table lacks a column: call storage.migrate()`
      expect(await rejectionOf(call)).toEqual(Object.assign(new Error(message), { code }))
    }
  })

  it('recommend migrate() when a column of the limits is missing', async () => {
    await knexStorage(knex, { table: 'bare' }).migrate()
    await knex.raw('alter table bare_limits rename column attempts to attempts_before')
    const { limiter } = knexStorage(knex, { table: 'bare' })
    await expect(limiter.reserve([{ key: 'key', durationSeconds: 60 }], { now: 0 })).rejects.toThrow(
      /could not count \(.+\); the table of limits lacks a column: call storage\.migrate\(\)$/,
    )
  })
})

describeEach(
  databases.filter(({ name }) => name === 'PostgreSQL'),
  'the failure of knex storage on $name',
  ({ createDatabase }) => {
    it('says that the connection was terminated while a statement ran', async () => {
      const database = await createDatabase()
      const pooled = database.connect({ min: 0, max: 1 })
      const storage = knexStorage(pooled)
      await storage.migrate()
      const lock = await database.connect().transaction()
      await lock.raw('lock table jwt_auth_sessions in access exclusive mode')
      const connection = await pooled.client.acquireConnection()
      await pooled.client.releaseConnection(connection)
      const isSent = new Promise((resolve) => pooled.once('query', resolve))
      const failure = rejectionOf(async () => storage.findByIds(['id']))
      await isSent
      connection.connection.stream.destroy()
      expect(await failure).toMatchObject({
        message: 'jwt-auth: the SQL storage could not find sessions (CONNECTION_TERMINATED)',
        code: 'CONNECTION_TERMINATED',
      })
      await lock.rollback()
      await database.drop()
    })
  },
)

describe('the word for a failure', () => {
  it.each([
    ['Connection terminated unexpectedly', 'CONNECTION_TERMINATED'],
    ['select * from "t" where "a" = $1 - Connection terminated unexpectedly', 'CONNECTION_TERMINATED'],
    ['Connection terminated', 'CONNECTION_TERMINATED'],
    ['Client has encountered a connection error and is not queryable', 'CONNECTION_TERMINATED'],
    ['Client was closed and is not queryable', 'CONNECTION_TERMINATED'],
    ["Can't add new command when connection is in closed state", 'CONNECTION_TERMINATED'],
    ['timeout expired', 'CONNECT_TIMEOUT'],
    ["a sentence with 'a bound value'", 'Error'],
  ])('of a driver with the message "%s" without a code is %s', (message, word) => {
    expect(toStorageError('find sessions', new Error(message)).message).toBe(
      `jwt-auth: the SQL storage could not find sessions (${word})`,
    )
  })

  it('is the code of the driver when the error has one', () => {
    const failure = Object.assign(new Error('Connection terminated'), { code: '57P01' })
    expect(toStorageError('find sessions', failure)).toMatchObject({ code: '57P01' })
  })
})

describe('knexStorage', () => {
  it('throws for an unknown option', () => {
    const knex = createKnex({ client: 'mssql' })
    expect(() => Reflect.apply(knexStorage, undefined, [knex, { tabel: 'sessions' }])).toThrow(
      'jwt-auth: knexStorage has no option `tabel`',
    )
  })

  it('throws for an unknown database', () => {
    expect(() => knexStorage(createKnex({ client: 'mssql' }))).toThrow(
      /SQLite, PostgreSQL, MySQL and MariaDB; received knex for mssql/,
    )
  })

  it('rejects the driver sqlite3, which does not return the number of changed rows', () => {
    const client = Object.assign(Object.create(createKnex({ client: 'mssql' }).client), { driverName: 'sqlite3' })
    expect(() => Reflect.apply(knexStorage, undefined, [{ raw: () => {}, client }])).toThrow(/sqliteConfig\(file\)/)
  })

  it.each<[string, (...args: never[]) => unknown]>([
    ['knexStorage', knexStorage],
    ['knexUsers', knexUsers],
  ])('rejects a value that is not a knex instance, with the fix: %s', (name, create) => {
    const expected = `${name} must be given a knex instance, as in \`${name}(knex({ client, connection }))\``
    for (const [value, received] of [
      [{}, 'an object'],
      [createKnex, 'a function'],
      [Promise.resolve(), 'a promise'],
    ] as const) {
      expect(() => Reflect.apply(create, undefined, [value])).toThrow(
        usageError(name, `${expected}; received ${received}.`),
      )
    }
  })
})

const options = {
  table: 'people',
  columns: readColumns('columns', {
    username: 'login',
    passwordHash: 'hash',
    email: 'mail',
    nicename: 'slug',
    displayName: 'name',
  }),
  extraColumns: {},
}
const statement = "select `slug` from `people` where `login` in ('no such column: mail') - "

const messageOf = (code: string, message: string): string =>
  toUsersError('look a user up', Object.assign(new Error(message), { code }), options).message

const generic = '; a column is missing: compare the option `columns` with the table `people`'
const noSlug = '; the table `people` has no column `slug`: correct the option `columns.nicename`'
const noTable = '; the table `people` does not exist: correct the option `table` or create the table'
describe('the failure of a lookup', () => {
  it.each([
    ['SQLITE_ERROR', `${statement}no such column: slug`, noSlug],
    ['SQLITE_ERROR', `${statement}SQLITE_ERROR: no such column: slug`, noSlug],
    ['SQLITE_ERROR', `${statement}no such column: people.other`, generic],
    ['SQLITE_ERROR', `${statement}no such table: main.people`, noTable],
    ['SQLITE_ERROR', `${statement}no such table: main.behind_a_view`, ''],
    ['SQLITE_ERROR', `${statement}near "in": syntax error`, ''],
    ['42703', `${statement}Spalte »slug« existiert nicht`, generic],
    ['42P01', `${statement}Relation »people« existiert nicht`, noTable],
    ['ER_BAD_FIELD_ERROR', `${statement}Unknown column 'slug' in 'field list'`, noSlug],
    ['ECONNREFUSED', "connect ECONNREFUSED ('no such column: mail')", ''],
  ])('repeats only names from the options, for %s and the message: %s', (code, message, advice) => {
    expect(messageOf(code, message)).toBe(`jwt-auth: knexUsers could not look a user up (${code})${advice}`)
  })
})
