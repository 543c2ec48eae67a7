import { knexStorage } from '@jwt-auth/storage-knex'
import { migrations } from '@jwt-auth/storage-sql/internal/migrations'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, afterEach, expect, it } from 'vitest'
import { runMigrationProcess } from './support/processes.js'

describeEach(await findDatabases(), 'migrate on $name', async ({ createDatabase }) => {
  const database = await createDatabase()

  afterEach(() => database.empty())
  afterAll(() => database.drop())

  it('creates the tables of sessions and users once when two processes start concurrently, and its lock admits one process at a time', async () => {
    const knex = database.connect()
    await knex.schema.createTable('visits', (table) => table.integer('at_work'))
    await knex('visits').insert({ at_work: 0 })
    const processes = await Promise.all([1, 2].map(() => runMigrationProcess(database.url)))
    expect(processes).toEqual(['alone', 'alone'])
    expect(await knex('jwt_auth_sessions_migrations').pluck('version')).toEqual(
      migrations.map(({ schemaVersion }) => schemaVersion),
    )
    expect(await knex('users')).toEqual([])
  })

  it('writes nothing when there is nothing to do, and never creates the tables of knex migrations', async () => {
    const knex = database.connect()
    await knexStorage(knex).migrate()
    expect(await knex.schema.hasTable('knex_migrations')).toBe(false)
    const statements: string[] = []
    knex.on('query', ({ sql }: { sql: string }) => statements.push(sql))
    await knexStorage(knex).migrate()
    expect(statements.filter((sql) => /^(create|insert|update|alter)/.test(sql))).toEqual([])
  })
})
