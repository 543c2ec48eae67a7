import { knexLimits, knexStorage } from '@jwt-auth/storage-knex'
import { libsqlConfig } from '@jwt-auth/storage-knex/libsql'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import knex from 'knex'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const tenAnHour = { keyPrefix: 'jwt_auth_test', points: 10, duration: 3_600 }
const state = (consumedPoints: number) => expect.objectContaining({ consumedPoints, msBeforeNext: expect.any(Number) })

describeEach(await findDatabases(), 'knexLimits on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const [one, other] = [database.connect(), database.connect()]
  const limiter = knexLimits(one)(tenAnHour)

  beforeAll(() => knexStorage(one).migrate())
  afterAll(() => database.drop())

  it('grants no more points than the limit to concurrent calls of two instances', async () => {
    const second = knexLimits(other)(tenAnHour)
    const calls = Array.from({ length: 20 }, () => [limiter.consume('ann'), second.consume('ann')]).flat()
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason : []))
    expect(refusals.filter((refusal) => refusal instanceof Error)).toEqual([])
    expect(Math.max(...refusals.map(({ consumedPoints }) => consumedPoints))).toBe(40)
  })

  it('gives points back and takes points beyond the limit', async () => {
    await limiter.consume('bob', 4)
    expect(await limiter.reward('bob', 3)).toEqual(state(1))
    expect(await limiter.penalty('bob', 12)).toEqual(state(13))
    await expect(limiter.consume('bob')).rejects.toEqual(state(14))
  })

  it('returns null for an unknown key and a state for a known one', async () => {
    expect(await limiter.get('nobody')).toBeNull()
    await limiter.set('carol', 1, 60)
    expect(await limiter.get('carol')).toEqual(state(1))
  })

  it('starts the time of a key with the first call and does not extend it', async () => {
    const first = await limiter.consume('dora')
    const second = await limiter.consume('dora')
    expect(first.msBeforeNext).toBeGreaterThan(3_590_000)
    expect(second.msBeforeNext).toBeLessThanOrEqual(first.msBeforeNext)
  })

  it('keeps keys apart that differ in case, and limits that differ in prefix', async () => {
    await limiter.set('Eve', 1, 60)
    expect(await limiter.get('eve')).toBeNull()
    expect(await knexLimits(one)({ ...tenAnHour, keyPrefix: 'jwt_auth_other' }).get('Eve')).toBeNull()
  })

  it('starts again after the time of a key has ended', async () => {
    await one('jwt_auth_sessions_limits').insert({ key: 'jwt_auth_test:fay', points: 10, expire: Date.now() - 1 })
    expect(await limiter.get('fay')).toBeNull()
    expect(await limiter.consume('fay')).toEqual(state(1))
  })

  it('deletes counts whose time ended an hour ago while it writes others', async () => {
    const hoursAgo = Date.now() - 2 * 3_600_000
    await one('jwt_auth_sessions_limits').insert({ key: 'jwt_auth_test:gus', points: 1, expire: hoursAgo })
    for (let count = 0; count < 100; count += 1) await limiter.penalty('hal')
    await expect.poll(() => one('jwt_auth_sessions_limits').where({ key: 'jwt_auth_test:gus' })).toEqual([])
    expect(await limiter.get('hal')).toEqual(state(100))
  })

  it('counts in the tables and the schema of the options', async () => {
    const schema = name === 'SQLite' ? 'main' : `jwt_auth_limits_${process.pid}`
    if (name !== 'SQLite') await one.raw(`create schema ${schema}`)
    const options = { table: 'Logins', schema }
    await knexStorage(one, options).migrate()
    await knexLimits(one, options)(tenAnHour).consume('ivy')
    expect(await knexLimits(other, options)(tenAnHour).get('ivy')).toEqual(state(1))
    expect(await limiter.get('ivy')).toBeNull()
    if (name !== 'SQLite') await one.raw(`drop schema ${schema}${name === 'PostgreSQL' ? ' cascade' : ''}`)
  })

  it('rejects with the fix and without a value when its table is missing', async () => {
    const missing = knexLimits(one, { table: 'missing' })(tenAnHour)
    await expect(missing.consume('jan')).rejects.toThrow(
      /^jwt-auth: knexLimits could not count \(\w+\); the table of limits is missing: call migrate\(\) of knexStorage$/,
    )
  })
})

describe('knexLimits', () => {
  it.each([undefined, {}, 'postgres://'])('throws a TypeError for %o instead of a knex instance', (value) => {
    // @ts-expect-error JavaScript passes such values.
    expect(() => knexLimits(value)).toThrow(new TypeError('jwt-auth: knexLimits must be given a knex instance.'))
  })

  it('throws a TypeError for a table name that is no identifier', () => {
    expect(() => knexLimits(knex(libsqlConfig(':memory:')), { table: 'a b' })).toThrow(
      /option `table` must be an identifier/,
    )
  })
})
