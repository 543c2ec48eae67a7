import { knexStorage, withMigrationLock } from '@jwt-auth/storage-knex'
import { takeMigrationLock } from '@jwt-auth/storage-sql/internal'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, afterEach, expect, it } from 'vitest'
import { toDialect } from '../src/dialect.js'
import { queryIn } from '../src/knex-executor.js'

const name = '"site"."of_a_host"'
const holderOf = {
  SQLite: 'another process that writes to the SQLite file',
  PostgreSQL: /process \d+ of the server \(application "", idle in transaction\)/.source,
  MariaDB: /connection \d+ of the server/.source,
}

describeEach(await findDatabases(), 'the migration lock on $name', async ({ name: database, createDatabase }) => {
  const fresh = await createDatabase()

  afterEach(() => fresh.empty())
  afterAll(() => fresh.drop())

  it('times out for other callers, and the error names its holder and an instruction', async () => {
    const [holding, waiting] = [fresh.connect(), fresh.connect()]
    const tryLock = () =>
      waiting.transaction((transaction) => {
        const connection = { dialect: toDialect(waiting), query: queryIn(transaction) }
        return takeMigrationLock(connection, { name, lockTimeoutMs: 10 }, async () => 'worked')
      })
    await withMigrationLock(holding, name, async () => {
      await expect(tryLock()).rejects.toThrow(
        new RegExp(
          `^jwt-auth: the migration lock "${name}" was still held after 0\\.01 s by ${holderOf[database]}\\. Wait until .*, or end it`,
        ),
      )
    })
    expect(await tryLock()).toBe('worked')
  })

  it('has a short name for any names of the schema and the table', async () => {
    const schema = { SQLite: 'main', PostgreSQL: 'public', MariaDB: new URL(fresh.url).pathname.slice(1) }[database]
    const storage = knexStorage(fresh.connect(), { schema, table: 't'.repeat(40) })
    await storage.migrate()
    await expect(storage.findByIds(['id'])).resolves.toEqual([])
  })
})

describeEach(
  (await findDatabases()).filter(({ name }) => name === 'PostgreSQL'),
  'the migration lock on $name',
  ({ createDatabase }) => {
    it('does not change the lock_timeout of the connection', async () => {
      const database = await createDatabase()
      const knex = database.connect({ min: 1, max: 1 })
      await knex.raw("set lock_timeout = '7s'")
      const read = async (on: typeof knex): Promise<unknown> => (await on.raw('show lock_timeout')).rows[0]
      expect(await withMigrationLock(knex, name, read)).toEqual({ lock_timeout: '7s' })
      expect(await read(knex)).toEqual({ lock_timeout: '7s' })
      await database.drop()
    })
  },
)
