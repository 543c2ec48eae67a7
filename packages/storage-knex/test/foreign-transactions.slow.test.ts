import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { connectTo, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { describeForeignTransactions } from '@jwt-auth/test-support/foreign-transactions'
import { expect, it } from 'vitest'
import { createTransact, knexExecutor } from '../src/knex-executor.js'

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

describeEach(servers, 'a transaction of this package on $name', ({ createDatabase }) => {
  it('starts in no transaction that the application has left open', async () => {
    const database = await createDatabase()
    const knex = connectTo(database.url, { min: 0, max: 1 })
    await knexStorage(knex).migrate()
    const leak = async () => {
      const connection = await knex.client.acquireConnection()
      await knex.client.query(connection, { sql: 'begin', method: 'raw' })
      await knex('jwt_auth_sessions').delete().connection(connection)
      await knex.client.releaseConnection(connection)
    }
    await leak()
    const transact = createTransact(knex)
    await expect(transact(async () => {})).rejects.toMatchObject({ code: 'OPEN_TRANSACTION' })
    expect(await transact(async (transaction) => transaction('jwt_auth_sessions').pluck('id'))).toEqual([])
    await knex.destroy()
    await database.drop()
  })
})

// SQLite has one writer.
describeEach(servers.slice(1), 'a deadlock of two transactions of the application on $name', ({ createDatabase }) => {
  it('rejects in one of them: its statements are not sent again without the rest of the transaction', async () => {
    const database = await createDatabase()
    const knex = database.connect()
    await knexStorage(knex).migrate()
    const [one, two] = [sampleSession(1), sampleSession(2)]
    for (const session of [one, two]) await knexStorage(knex).create(session)
    const ending = { endedAt: one.createdAt, endReason: 'revoked' }
    let arrived = 0
    let meet = (): void => {}
    const bothHaveArrived = new Promise<void>((resolve) => {
      meet = resolve
    })
    const endBoth = (first: string, second: string) =>
      knex.transaction(async (transaction) => {
        const storage = knexStorage(transaction)
        await storage.end({ id: first, ...ending })
        arrived += 1
        if (arrived === 2) meet()
        await bothHaveArrived
        await storage.end({ id: second, ...ending })
      })
    const results = await Promise.allSettled([endBoth(one.id, two.id), endBoth(two.id, one.id)])
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    await database.drop()
  })
})

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
