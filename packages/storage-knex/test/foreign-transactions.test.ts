import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { connectTo, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { describeForeignTransactions } from '@jwt-auth/test-support/foreign-transactions'
import { expect, it } from 'vitest'
import { knexExecutor } from '../src/knex-executor.js'

const servers = await findDatabases()

for (const server of servers) {
  describeForeignTransactions({
    title: 'knex',
    server,
    canLeaveInFlight: server.name !== 'SQLite',
    open: (url) => {
      const knex = connectTo(url, { min: 0, max: 1 })
      return {
        executor: knexExecutor(knex, false),
        run: async (statements, awaits) => {
          const connection = await knex.client.acquireConnection()
          const results = statements.map((sql) => knex.client.query(connection, { sql, method: 'raw' }))
          if (awaits || server.name === 'SQLite') await Promise.allSettled(results)
          await knex.client.releaseConnection(connection)
        },
        close: () => knex.destroy(),
      }
    },
  })
}

describeEach(servers, 'a storage over a transaction of knex on $name', ({ createDatabase }) => {
  it('writes and reads in this transaction', async () => {
    const database = await createDatabase()
    const knex = database.connect()
    const session = sampleSession(1)
    await knexStorage(knex).migrate()
    await knex.transaction(async (transaction) => {
      const storage = knexStorage(transaction)
      await storage.create(session)
      expect(await storage.findByIds([session.id])).toEqual([session])
      expect(await transaction('jwt_auth_sessions').pluck('id')).toEqual([session.id])
    })
    expect(await knexStorage(knex).findByIds([session.id])).toEqual([session])
    await database.drop()
  })
})
