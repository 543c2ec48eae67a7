import { takeMigrationLock } from '@jwt-auth/storage-sql/internal'
import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import mysql2 from 'mysql2'
import { expect, it } from 'vitest'
import type { SqlQuery } from '../src/sql-executor.js'

const [, , server] = await findDatabases()

describeEach([server], 'the migration lock on $name', ({ createDatabase }) => {
  it.each([
    ['is committed', async () => {}, [1]],
    [
      'is undone',
      async () => {
        throw new Error('the work failed')
      },
      [],
    ],
  ])('is released only after the work %s', async (_, finish, expected) => {
    const database = await createDatabase()
    const other = database.connect()
    await other.raw('create table visits (number integer) engine = innodb')
    const pool = mysql2.createPool({ uri: database.url })
    const { transaction, dialect } = mysql2Executor(pool)
    const atRelease: unknown[] = []
    const work = transaction(async (query) => {
      /** Reads, before the lock is released, what the next holder of the lock would read. */
      const gated: SqlQuery = async (text, values) => {
        if (text.includes('release_lock')) atRelease.push(await readVisits())
        return query(text, values)
      }
      await takeMigrationLock({ dialect, query: gated }, { name: 'visits' }, async () => {
        await query('insert into visits (number) values (1)', [])
        await finish()
      })
    })
    // Rejects if an open transaction has locked the row.
    const readVisits = () => other('visits').forUpdate().noWait().pluck('number')
    await work.catch(() => {})
    expect(atRelease).toEqual([expected])
    await pool.promise().end()
    await database.drop()
  })
})
