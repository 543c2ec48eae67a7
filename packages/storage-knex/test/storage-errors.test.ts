import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import knex from 'knex'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

describeEach(await findDatabases(), 'failures of knex storage on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  const storage = knexStorage(database.connect())

  beforeAll(() => storage.migrate())
  afterAll(() => database.drop())

  it('reject with a code and without a bound value', async () => {
    const session = sampleSession(1, { label: 'do not print me' })
    await storage.create(session)
    const failure = await storage.create(session).then(
      () => undefined,
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(Error)
    expect(String(failure)).toMatch(/could not create a session \([A-Z0-9_]+\)/)
    const shown = JSON.stringify(failure, Object.getOwnPropertyNames(failure))
    for (const value of [session.id, session.selectorHash, 'do not print me']) expect(shown).not.toContain(value)
  })
})

describe('knexStorage', () => {
  it('refuses a database it does not know', () => {
    expect(() => knexStorage(knex({ client: 'mssql' }))).toThrow(
      /SQLite, PostgreSQL, MySQL and MariaDB; received knex for mssql/,
    )
  })

  it('refuses the driver sqlite3, which does not say what a statement touched', () => {
    const client = Object.assign(Object.create(knex({ client: 'mssql' }).client), { driverName: 'sqlite3' })
    expect(() => Reflect.apply(knexStorage, undefined, [{ raw: () => {}, client }])).toThrow(/libsqlConfig\(file\)/)
  })

  it('refuses what is no knex instance', () => {
    // @ts-expect-error what a JavaScript host may write
    expect(() => knexStorage({})).toThrow('jwt-auth: knexStorage must be given a knex instance.')
  })
})
