import { usageError } from '@jwt-auth/core/internal'
import { type SqlExecutor, type SqlResult, sqlStorage } from '@jwt-auth/storage-sql'
import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { findDatabases } from '@jwt-auth/test-support'
import { describeConflicts } from '@jwt-auth/test-support/conflict-tests'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { hourly, limiterCases } from '@jwt-auth/test-support/limiter-cases'
import mysql2 from 'mysql2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const [, , server] = await findDatabases()

/** An executor of a server that says that it is MySQL, which has no `returning`. */
const asMysql = (executor: SqlExecutor): SqlExecutor => ({
  ...executor,
  query: async (text, values, options) => {
    if (text.includes('version()')) return { rows: [{ version: '9.7.0' }] }
    if (text.includes(' returning ')) throw new Error('MySQL knows no returning')
    return executor.query(text, values, options)
  },
})

describeEach([server], 'the limiter of sqlStorage on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  const pools = [mysql2.createPool(database.url), mysql2.createPool(database.url)] as const
  const [one, other] = [mysql2Executor(pools[0]), mysql2Executor(pools[1])]

  beforeAll(() => sqlStorage(one).migrate())
  afterAll(async () => {
    for (const pool of pools) await pool.promise().end()
    await database.drop()
  })

  for (const { title, run } of limiterCases) {
    it(`as on MySQL: ${title}`, () => run(sqlStorage(asMysql(one)).limiter, sqlStorage(asMysql(other)).limiter))
  }

  describe('as on MySQL', () => describeConflicts(name, asMysql(one)))

  it('sends one statement for each call, after it has asked for the version once', async () => {
    const sent: string[] = []
    const limiter = sqlStorage({
      ...one,
      query: (text, values, options) => {
        sent.push(text)
        return one.query(text, values, options)
      },
    }).limiter
    const now = Date.now()
    const { windows } = await limiter.reserve([hourly('x'), hourly('y')], { now, mark: 'z' })
    await limiter.refund(windows, { now, mark: { key: 'z', endsAt: now + 60_000 } })
    await limiter.reserve([hourly('x')], { now })
    expect(sent.map((text) => text.split(' ')[0])).toEqual(['select', 'insert', 'insert', 'insert'])
  })

  it('deletes at most a thousand ended counts at once, at every hundredth call', async () => {
    const deleted: Promise<SqlResult>[] = []
    const limiter = sqlStorage({
      ...one,
      query: (text, values, options) => {
        const result = one.query(text, values, options)
        if (text.startsWith('delete')) deleted.push(result)
        return result
      },
    }).limiter
    const ended = Array.from({ length: 1_200 }, (_, index) => ({ key: `ended ${index}`, durationSeconds: 1 }))
    await limiter.reserve(ended, { now: 0 })
    for (let calls = 2; calls <= 100; calls += 1) await limiter.reserve([hourly('x')], { now: Date.now() })
    expect(deleted).toHaveLength(1)
    await deleted[0]
    const { rows } = await one.query("select id from jwt_auth_sessions_limits where id like 'ended %'", [])
    expect(rows).toHaveLength(200)
  })

  it('sends nothing for a refund of nothing', async () => {
    const limiter = sqlStorage({ ...one, query: () => expect.unreachable() }).limiter
    await limiter.refund([], { now: Date.now() })
  })
})

describe('sqlStorage', () => {
  it.each<[string, unknown]>([
    ['no value', undefined],
    ['a pool', mysql2.createPool({})],
  ])('throws a TypeError for %s instead of an executor', (_, value) => {
    expect(() => Reflect.apply(sqlStorage, undefined, [value])).toThrow(
      usageError('sqlStorage', 'sqlStorage must be given an executor, such as pgExecutor(pool).'),
    )
  })
})
