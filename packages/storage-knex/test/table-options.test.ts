import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { createDatabaseName, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, afterEach, describe, expect, it } from 'vitest'

const databases = await findDatabases()

describeEach(databases, 'the tables on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()

  afterEach(() => database.empty())
  afterAll(() => database.drop())

  it('have the name of the option, and keep two storages in one database apart', async () => {
    const knex = database.connect()
    const [first, second] = [knexStorage(knex, { table: 'Logins' }), knexStorage(knex, { table: 'other_logins' })]
    await first.migrate()
    await second.migrate()
    await first.create(sampleSession(1))
    expect(await first.findByIds([sampleSession(1).id])).toEqual([sampleSession(1)])
    expect(await second.findByIds([sampleSession(1).id])).toEqual([])
    expect(await knex.schema.hasTable('Logins_migrations')).toBe(true)
  })

  it('are in the schema of the option', async () => {
    const knex = database.connect()
    const schema = name === 'SQLite' ? 'main' : createDatabaseName()
    if (name !== 'SQLite') await knex.raw(`create schema ${schema}`)
    const storage = knexStorage(knex, { schema })
    await storage.migrate()
    await storage.migrate()
    await storage.create(sampleSession(1))
    expect(await storage.findByIds([sampleSession(1).id])).toEqual([sampleSession(1)])
    if (name === 'MariaDB') await knex.raw(`drop schema ${schema}`)
  })

  it('are identified by their schema, which the option or the connection names', async () => {
    const knex = database.connect({ min: 1, max: 1 })
    const schema = createDatabaseName()
    const [create = '', select] = {
      SQLite: [`attach '${database.url.slice('sqlite:'.length)}.other' as ${schema}`, undefined],
      PostgreSQL: [`create schema ${schema}`, `set search_path to pg_catalog, ${schema}`],
      MariaDB: [`create schema ${schema}`, `use ${schema}`],
    }[name]
    const findStore = async (schema?: string) => {
      const status = await knexStorage(knex, { schema }).status()
      return status.isReady && status.store
    }
    await knexStorage(knex).migrate()
    await knex.raw(create)
    await knexStorage(knex, { schema }).migrate()
    const [first, second] = [await findStore(), await findStore(schema)]
    expect([first, second, second === first]).toEqual([expect.any(String), expect.any(String), false])
    if (select !== undefined) await knex.raw(select)
    expect(await findStore()).toBe(select === undefined ? first : second)
    if (name === 'MariaDB') await knex.raw(`drop schema ${schema}`)
  })

  it('are created by the statements of migrationSql', async () => {
    const knex = database.connect()
    const storage = knexStorage(knex)
    const statements = await storage.migrationSql()
    expect(await knex.schema.hasTable('jwt_auth_sessions')).toBe(false)

    for (const statement of statements) await knex.raw(statement)
    expect(await storage.migrationSql()).toEqual([])
    await storage.migrate()
    await storage.create(sampleSession(1))
    expect(await storage.findByIds([sampleSession(1).id])).toEqual([sampleSession(1)])
  })
})

describe('a table option', () => {
  it.each([
    ['table', ''],
    ['table', 'a b'],
    ['table', 'x"; drop table users; --'],
    ['table', 'a'.repeat(41)],
    ['schema', '1st'],
  ])('%s is refused when it is %j', async (option, value) => {
    const database = await databases[0]?.createDatabase()
    const knex = database?.connect()
    expect(() => Reflect.apply(knexStorage, undefined, [knex, { [option]: value }])).toThrow(
      new RegExp(`option \`${option}\` must be an identifier`),
    )
    await database?.drop()
  })
})
