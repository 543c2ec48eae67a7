import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { postgresExecutor } from '@jwt-auth/storage-sql/postgres'
import { findDatabases } from '@jwt-auth/test-support'
import { describeExecutor, type OpenedExecutor } from '@jwt-auth/test-support/executor-suite'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, it } from 'vitest'

const [, postgresql] = await findDatabases()

const openPg = (connectionString: string, preparedStatements: boolean): OpenedExecutor => {
  const pool = new pg.Pool({ connectionString, max: 10 }).on('error', () => {})
  return { executor: pgExecutor(pool, { preparedStatements }), close: () => pool.end() }
}

const openPostgres = (url: string, preparedStatements: boolean): OpenedExecutor => {
  const sql = postgres(url, { max: 10, onnotice: () => {} })
  return { executor: postgresExecutor(sql, { preparedStatements }), close: () => sql.end({ timeout: 1 }) }
}

for (const isPrepared of [false, true]) {
  const suffix = isPrepared ? ' with prepared statements' : ''
  describeExecutor({
    title: `the executor of pg${suffix}`,
    server: postgresql,
    open: (url) => openPg(url, isPrepared),
  })
  describeExecutor({
    title: `the executor of postgres.js${suffix}`,
    server: postgresql,
    open: (url) => openPostgres(url, isPrepared),
  })
}

describe.skipIf(postgresql === undefined)('a statement that a late cancellation of another one has cancelled', () => {
  it('is sent once more', async () => {
    const database = await (postgresql ?? expect.unreachable()).createDatabase()
    const [sql, observer] = [postgres(database.url, { max: 1 }), postgres(database.url, { max: 1 })]
    const [{ pid } = { pid: 0 }] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
    const findStart = async (): Promise<string | undefined> => {
      const rows = await observer`select query_start::text from pg_stat_activity
        where pid = ${pid} and state = 'active' and query = 'select pg_sleep(300)'`
      return rows[0]?.['query_start']
    }
    const sleeping = postgresExecutor(sql).query('select pg_sleep(300)', [])
    const failure = sleeping.catch((error: unknown) => error)

    await expect.poll(findStart).toBeDefined()
    const first = await findStart()
    await observer`select pg_cancel_backend(${pid})`
    await expect.poll(async () => ((await findStart()) ?? first) !== first).toBe(true)
    await observer`select pg_cancel_backend(${pid})`
    expect(await failure).toMatchObject({ code: '57014' })

    await Promise.all([sql.end({ timeout: 1 }), observer.end({ timeout: 1 })])
    await database.drop()
  })
})
