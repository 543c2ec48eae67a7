import { conformanceCases } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, beforeEach, it } from 'vitest'

const postgres = (await findDatabases()).filter(({ name }) => name === 'PostgreSQL')

describeEach(postgres, 'knex storage with prepared statements on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  const knex = database.connect({ min: 1, max: 1 })
  const storage = knexStorage(knex, { preparedStatements: true })

  beforeAll(() => storage.migrate())
  beforeEach(() => knex('jwt_auth_sessions').delete())
  afterAll(() => database.drop())

  for (const { title, run } of conformanceCases({ createStorage: () => storage })) it(title, run)
})
