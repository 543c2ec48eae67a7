import { sampleSession } from '@jwt-auth/storage-conformance'
import { sqlStorage } from '@jwt-auth/storage-sql'
import { mysql2Executor } from '@jwt-auth/storage-sql/mysql2'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import mysql2 from 'mysql2'
import { expect, it, onTestFinished } from 'vitest'

const [, , server] = await findDatabases()

const openDatabase = async (options: mysql2.PoolOptions = {}) => {
  const database = await server.createDatabase()
  const pool = mysql2.createPool({ ...options, uri: database.url })
  onTestFinished(async () => {
    await pool.promise().end()
    await database.drop()
  })
  return { ...database, storage: sqlStorage(mysql2Executor(pool)) }
}

describeEach([server], 'storage over mysql2 on $name', () => {
  it('changes the row when a rotation has the present value of every field', async () => {
    // Without this flag, MySQL counts the rows that it changed instead of the rows that it found.
    const { storage } = await openDatabase({ flags: ['-FOUND_ROWS'] })
    await storage.migrate()
    const session = sampleSession(1)
    await storage.create(session)
    const { id, verifierHash: expectedVerifierHash } = session
    const rotate = () => storage.rotate({ ...session, expectedVerifierHash })
    expect([await rotate(), await rotate()]).toEqual(['rotated', 'rotated'])
    expect(await storage.findByIds([id])).toEqual([session])
  })
})
