import { conformanceCases } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { limiterCases } from '@jwt-auth/test-support/limiter-cases'
import { createHeldStorages, holdTable } from '@jwt-auth/test-support/locked-sessions'
import type { Knex } from 'knex'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'

const servers = (await findDatabases()).filter(({ name }) => name !== 'SQLite')

const setLevel = {
  SQLite: '',
  PostgreSQL: 'set session characteristics as transaction isolation level',
  MariaDB: 'set session transaction isolation level',
}

describe.each(['repeatable read', 'serializable'])('at the isolation level %s', (level) => {
  describeEach(servers, 'knex storage and limits on $name', async ({ name, createDatabase }) => {
    const pool: Knex.PoolConfig = {
      min: 0,
      max: 10,
      afterCreate: (
        connection: { query: (sql: string, done: (error: unknown) => void) => void },
        done: (error: unknown, connection: unknown) => void,
      ) => connection.query(`${setLevel[name]} ${level}`, (error) => done(error, connection)),
    }
    const database = await createDatabase()
    const [knex, other, plain] = [database.connect(pool), database.connect(pool), database.connect()]
    const storage = knexStorage(knex)
    const held = createHeldStorages((table) => knexStorage(knex, { table }), holdTable(name, plain))

    beforeAll(() => storage.migrate().then(held.migrate))
    beforeEach(() => plain('jwt_auth_sessions').delete())
    afterAll(() => database.drop())

    const cases = conformanceCases({
      createStorage: () => storage,
      createHeldStorage: held.takeHeld,
      createSharedStorages: () => [storage, knexStorage(other)],
    })
    for (const { title, run } of cases) it(title, run)
    for (const { title, run } of limiterCases)
      it(title, () => run(knexStorage(knex).limiter, knexStorage(other).limiter))
  })
})
