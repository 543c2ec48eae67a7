import { sampleSession } from '@jwt-auth/storage-conformance'
import { pgExecutor } from '@jwt-auth/storage-sql/pg'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { describeExecutor } from '@jwt-auth/test-support/executor-suite'
import pg from 'pg'
import { expect, it } from 'vitest'
import { connectDrizzle, drizzleStorage } from '../src/drizzle-storage.js'

const server = (await findDatabases())[1]

describeExecutor({
  title: 'the executor of Drizzle',
  server,
  open: (connectionString) => {
    const pool = new pg.Pool({ connectionString, max: 10 }).on('error', () => {})
    return { executor: pgExecutor(connectDrizzle(pool).$client), close: () => pool.end() }
  },
})

describeEach([server], 'the storage of Drizzle on $name', ({ createDatabase }) => {
  it('keeps sessions on the connections of Drizzle', async () => {
    const database = await createDatabase()
    const drizzle = connectDrizzle(new pg.Pool({ connectionString: database.url }).on('error', () => {}))
    const storage = drizzleStorage(drizzle)
    await storage.migrate()
    await storage.create(sampleSession(1))
    const { rows } = await drizzle.execute('select id from jwt_auth_sessions')
    expect(rows).toEqual([{ id: sampleSession(1).id }])
    await drizzle.$client.end()
    await database.drop()
  })
})
