import { knexLimits, knexStorage } from '@jwt-auth/storage-knex'
import { libsqlConfig } from '@jwt-auth/storage-knex/libsql'
import { createDatabaseName, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { limiterCases, limiterState, tenAnHour } from '@jwt-auth/test-support/limiter-cases'
import knex from 'knex'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

describeEach(await findDatabases(), 'knexLimits on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const [one, other] = [database.connect(), database.connect()]
  const limiter = knexLimits(one)(tenAnHour)

  beforeAll(() => knexStorage(one).migrate())
  afterAll(() => database.drop())

  for (const { title, run } of limiterCases) it(title, () => run(knexLimits(one), knexLimits(other)))

  it('starts again after the time of a key has ended', async () => {
    await one('jwt_auth_sessions_limits').insert({ key: 'jwt_auth_test:fay', points: 10, expire: Date.now() - 1 })
    expect(await limiter.get('fay')).toBeNull()
    expect(await limiter.consume('fay')).toEqual(limiterState(1))
  })

  it('deletes counts whose time ended an hour ago while it writes others', async () => {
    const hoursAgo = Date.now() - 2 * 3_600_000
    await one('jwt_auth_sessions_limits').insert({ key: 'jwt_auth_test:gus', points: 1, expire: hoursAgo })
    for (let count = 0; count < 100; count += 1) await limiter.penalty('hal')
    await expect.poll(() => one('jwt_auth_sessions_limits').where({ key: 'jwt_auth_test:gus' })).toEqual([])
    expect(await limiter.get('hal')).toEqual(limiterState(100))
  })

  it('counts in the tables and the schema of the options', async () => {
    const schema = name === 'SQLite' ? 'main' : createDatabaseName()
    if (name !== 'SQLite') await one.raw(`create schema ${schema}`)
    const options = { table: 'Logins', schema }
    await knexStorage(one, options).migrate()
    await knexLimits(one, options)(tenAnHour).consume('ivy')
    expect(await knexLimits(other, options)(tenAnHour).get('ivy')).toEqual(limiterState(1))
    expect(await limiter.get('ivy')).toBeNull()
    if (name !== 'SQLite') await one.raw(`drop schema ${schema}${name === 'PostgreSQL' ? ' cascade' : ''}`)
  })

  it('rejects with an instruction and without a value when its table is missing', async () => {
    const missing = knexLimits(one, { table: 'missing' })(tenAnHour)
    await expect(missing.consume('jan')).rejects.toThrow(
      /^jwt-auth: knexLimits could not count \(\w+\); the table of limits is missing: call migrate\(\) of knexStorage$/,
    )
  })
})

describe('knexLimits', () => {
  it.each<[string, unknown]>([
    ['no value', undefined],
    ['an object', {}],
    ['a URL', 'postgres://'],
  ])('throws a TypeError for %s instead of a knex instance', (_, value) => {
    // @ts-expect-error JavaScript passes such values.
    expect(() => knexLimits(value)).toThrow(/^jwt-auth: knexLimits must be given a knex instance; /)
  })

  it('throws for an unknown option', () => {
    expect(() => Reflect.apply(knexLimits, undefined, [knex(libsqlConfig(':memory:')), { prefix: 'a' }])).toThrow(
      'jwt-auth: knexLimits has no option `prefix`',
    )
  })

  it('throws a TypeError for a table name that is not an identifier', () => {
    expect(() => knexLimits(knex(libsqlConfig(':memory:')), { table: 'a b' })).toThrow(
      /option `table` must be an identifier/,
    )
  })
})
