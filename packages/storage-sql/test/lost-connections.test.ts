import type { SqlExecutor } from '@jwt-auth/storage-sql'
import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { type DatabaseServer, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { startEndingPostgres } from '@jwt-auth/test-support/ending-postgres'
import { watchCrashes } from '@jwt-auth/test-support/recorders'
import mysql2 from 'mysql2'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { exampleExecutor } from './support/example-executor.js'

const [, postgresql, mariadb] = await findDatabases()

const openPg = (connectionString: string): pg.Pool => {
  const pool = new pg.Pool({ connectionString, max: 1 })
  onTestFinished(() => pool.end())
  return pool
}

it('a connection of pg that the server ends right after opening it rejects the call, and the process lives on', async () => {
  const [crashes, executor] = [watchCrashes(), pgExecutor(openPg(await startEndingPostgres()))]
  for (const _ of [1, 2, 3]) await expect(executor.query('select 1', [])).rejects.toThrow()
  expect(crashes).toEqual([])
})

it.each([
  ['pg', pgExecutor],
  ['pg and an executor of the application', exampleExecutor],
])('an idle connection of %s that is lost leaves the process alive', (_, open) => {
  const pool = new pg.Pool()
  open(pool)
  expect(pool.emit('error', new Error('terminated'))).toBe(true)
})

const openMysql = (uri: string): SqlExecutor => {
  const pool = mysql2.createPool({ uri, connectionLimit: 1 })
  onTestFinished(() => pool.promise().end())
  return mysql2Executor(pool)
}

const end = {
  SQLite: [],
  PostgreSQL: ['select pg_backend_pid() as id', 'select pg_terminate_backend($1)'],
  MariaDB: ['select connection_id() as id', 'kill ?'],
}

const clients: readonly (readonly [title: string, server: DatabaseServer, open: (url: string) => SqlExecutor])[] = [
  ['pg', postgresql, (url) => pgExecutor(openPg(url))],
  ['pg and an executor of the application', postgresql, (url) => exampleExecutor(openPg(url))],
  ['mysql2', mariadb, openMysql],
]

for (const [title, server, open] of clients) {
  describeEach([server], `a connection of ${title} that $name ends`, ({ name, createDatabase }) => {
    it('during a statement rejects only this call, and the process lives on', async () => {
      const database = await createDatabase()
      const [executor, other] = [open(database.url), open(database.url)]
      const crashes = watchCrashes()
      const [find = '', kill = ''] = end[name]
      const { rows: [row] = [] } = await executor.query(find, [])
      const sleep = executor.query(name === 'MariaDB' ? 'select sleep(60)' : 'select pg_sleep(60)', [])
      const failure = expect(sleep).rejects.toThrow()
      // The pool has one connection.
      const next = executor.query('select 1 as one', [])
      await other.query(kill, [Number(row?.['id'])])
      await failure
      expect(await next).toMatchObject({ rows: [{ one: 1 }] })
      expect(crashes).toEqual([])
      await database.drop()
    })
  })
}
