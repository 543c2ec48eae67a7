import { conformanceCases } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findDatabases } from '@jwt-auth/test-support'
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'

describe.each(await findDatabases())('knex storage on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  const knex = database.connect()
  const storage = knexStorage(knex)

  beforeAll(() => storage.migrate())
  beforeEach(() => knex('jwt_auth_sessions').delete())
  afterAll(() => database.drop())

  it.each(conformanceCases)('$title', ({ run }) => run(storage))
})
