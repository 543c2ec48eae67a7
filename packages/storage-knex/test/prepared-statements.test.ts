import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { type DatabaseServer, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const databases = await findDatabases()
const isPostgres = ({ name }: DatabaseServer): boolean => name === 'PostgreSQL'

describeEach(databases.filter(isPostgres), 'prepared statements on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  const knex = database.connect({ min: 1, max: 1 })
  const storage = knexStorage(knex, { preparedStatements: true })

  beforeAll(() => storage.migrate())
  beforeEach(() => knex('jwt_auth_sessions').delete())
  afterAll(() => database.drop())

  const listPrepared = async (): Promise<readonly string[]> => {
    // By their text: PgBouncer gives prepared statements names of its own.
    const { rows } = await knex.raw(
      'select statement from pg_prepared_statements where statement like \'%"jwt_auth_sessions"%\'',
    )
    return rows.map(({ statement }: { readonly statement: string }) => statement)
  }

  it('are one for each kind of statement, for any number of sessions', async () => {
    const sessions = [1, 2, 3].map((number) => sampleSession(number))
    for (const session of sessions) await storage.create(session)
    const before = await listPrepared()
    for (const count of [1, 2, 3]) await storage.findByIds(sessions.slice(0, count).map(({ id }) => id))
    const after = await listPrepared()
    expect(after.length - before.length).toBeLessThanOrEqual(1)
    expect(after.filter((statement) => statement.includes('any($1::text[])'))).toHaveLength(1)
  })

  it('are none by default', async () => {
    await knex.raw('deallocate all')
    await knexStorage(knex).findByIds([sampleSession(1).id])
    expect(await listPrepared()).toEqual([])
  })
})

describe('the option preparedStatements', () => {
  it.each(databases.filter((database) => !isPostgres(database)).map((server) => [server.name, server] as const))(
    'is refused on %s',
    async (_, { createDatabase }) => {
      const database = await createDatabase()
      try {
        const knex = database.connect()
        expect(() => knexStorage(knex, { preparedStatements: true })).toThrow('true only on PostgreSQL')
        expect(() => knexStorage(knex, { preparedStatements: false })).not.toThrow()
        // @ts-expect-error text is not a boolean
        expect(() => knexStorage(knex, { preparedStatements: 'yes' })).toThrow('preparedStatements')
      } finally {
        await database.drop()
      }
    },
  )
})
