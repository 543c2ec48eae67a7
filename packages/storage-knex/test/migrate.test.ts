import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { type FreshDatabase, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startMigration, startVisit } from './support/processes.js'

describeEach(await findDatabases(), 'migrate on $name', ({ createDatabase }) => {
  let database: FreshDatabase

  beforeEach(async () => {
    database = await createDatabase()
  })
  afterEach(() => database.drop())

  it('creates the tables once, however many processes start at once', async () => {
    const processes = await Promise.all([1, 2, 3].map(() => startMigration(database.url)))
    expect(processes).toEqual(['migrated', 'migrated', 'migrated'])
    expect(await database.connect()('jwt_auth_sessions_migrations').pluck('version')).toEqual([1])
  })

  it('lets one process at a time do work under a migration lock', async () => {
    const knex = database.connect()
    await knex.schema.createTable('visits', (table) => table.integer('at_work'))
    await knex('visits').insert({ at_work: 0 })
    const processes = await Promise.all([1, 2, 3].map(() => startVisit(database.url)))
    expect(processes).toEqual(['alone', 'alone', 'alone'])
  })

  it('keeps what is stored when it is called again', async () => {
    const storage = knexStorage(database.connect())
    await storage.migrate()
    await storage.create(sampleSession(1))
    await storage.migrate()
    expect(await storage.findByIds([sampleSession(1).id])).toEqual([sampleSession(1)])
  })

  it('writes nothing when there is nothing to do', async () => {
    const knex = database.connect()
    await knexStorage(knex).migrate()
    const statements: string[] = []
    knex.on('query', ({ sql }: { sql: string }) => statements.push(sql))
    await knexStorage(knex).migrate()
    expect(statements.filter((sql) => /^(create|insert|update|alter)/.test(sql))).toEqual([])
  })

  it('leaves the host tables of knex migrations alone', async () => {
    const knex = database.connect()
    await knexStorage(knex).migrate()
    expect(await knex.schema.hasTable('knex_migrations')).toBe(false)
  })

  it('says what to do when it was not called', async () => {
    const storage = knexStorage(database.connect())
    await expect(storage.findByIds(['id'])).rejects.toThrow(/its table is missing: call storage\.migrate\(\)/)
  })
})
