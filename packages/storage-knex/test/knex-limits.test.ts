import { knexStorage } from '@jwt-auth/storage-knex'
import { createDatabaseName, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { hourly, limiterCases } from '@jwt-auth/test-support/limiter-cases'
import { afterAll, beforeAll, expect, it } from 'vitest'

const now = Date.now()

describeEach(await findDatabases(), 'the limiter of knexStorage on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const [one, other] = [database.connect(), database.connect()]
  const limiter = knexStorage(one).limiter

  beforeAll(() => knexStorage(one).migrate())
  afterAll(() => database.drop())

  for (const { title, run } of limiterCases) it(title, () => run(knexStorage(one).limiter, knexStorage(other).limiter))

  it('deletes counts that ended more than an hour ago at every hundredth call', async () => {
    await limiter.reserve([{ key: 'ike', durationSeconds: 1 }], { now: now - 3_601_001 })
    for (let count = 1; count < 100; count += 1) await limiter.reserve([hourly('jan')], { now })
    await expect.poll(() => one('jwt_auth_sessions_limits').where({ id: 'ike' })).toEqual([])
    expect(await limiter.reserve([hourly('jan')], { now })).toMatchObject({ windows: [{ count: 100 }] })
  })

  const itOnPostgresql = name === 'PostgreSQL' ? it : () => {}
  itOnPostgresql('deletes ended counts without waiting for a locked one', async () => {
    for (const key of ['liv', 'max']) await limiter.reserve([{ key, durationSeconds: 1 }], { now: now - 3_601_001 })
    const transaction = await other.transaction()
    await transaction('jwt_auth_sessions_limits').where({ id: 'liv' }).forUpdate()
    try {
      for (let count = 0; count < 100; count += 1) await limiter.reserve([hourly('nia')], { now })
      await expect.poll(() => one('jwt_auth_sessions_limits').where({ id: 'max' })).toEqual([])
    } finally {
      await transaction.rollback()
    }
  })

  it('counts in the tables and the schema of the options', async () => {
    const schema = name === 'SQLite' ? 'main' : createDatabaseName()
    if (name !== 'SQLite') await one.raw(`create schema ${schema}`)
    const options = { table: 'Logins', schema }
    await knexStorage(one, options).migrate()
    await knexStorage(one, options).limiter.reserve([hourly('kim')], { now })
    expect(await knexStorage(other, options).limiter.reserve([hourly('kim')], { now })).toMatchObject({
      windows: [{ count: 2 }],
    })
    expect(await limiter.reserve([hourly('kim')], { now })).toMatchObject({ windows: [{ count: 1 }] })
    if (name !== 'SQLite') await one.raw(`drop schema ${schema}${name === 'PostgreSQL' ? ' cascade' : ''}`)
  })

  it('rejects with an instruction and without a value when its table is missing', async () => {
    const missing = knexStorage(one, { table: 'missing' }).limiter
    const message =
      /^jwt-auth: the SQL limits could not count \(\w+\); the table of limits is missing: call storage\.migrate\(\)$/
    await expect(missing.reserve([hourly('lea')], { now })).rejects.toThrow(message)
    await expect(missing.refund([{ key: 'lea', count: 1, endsAt: now }], { now })).rejects.toThrow(message)
  })
})
