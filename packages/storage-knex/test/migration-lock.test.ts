import { knexStorage } from '@jwt-auth/storage-knex'
import { takeMigrationLock } from '@jwt-auth/storage-sql/internal/migration-lock'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { afterAll, afterEach, expect, it } from 'vitest'
import { knexExecutor } from '../src/knex-executor.js'

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
    const [holding, waiting] = [fresh.connect(), fresh.connect()].map((knex) => knexExecutor(knex, false))
    const tryLock = (executor = waiting, work = async () => {}) =>
      executor?.transaction((query) =>
        takeMigrationLock({ dialect: executor.dialect, query }, { name, lockTimeoutMs: 10 }, work),
      )
    await tryLock(holding, async () => {
      await expect(tryLock()).rejects.toThrow(
        new RegExp(
          `^jwt-auth: the migration lock "${name}" was still held after 0\\.01 s by ${holderOf[database]}\\. Wait until .*, or end it`,
        ),
      )
    })
    await expect(tryLock()).resolves.toBeUndefined()
  })

  it('has a short name for any names of the schema and the table', async () => {
    const schema = { SQLite: 'main', PostgreSQL: 'public', MariaDB: new URL(fresh.url).pathname.slice(1) }[database]
    const storage = knexStorage(fresh.connect(), { schema, table: 't'.repeat(40) })
    await storage.migrate()
    await expect(storage.findByIds(['id'])).resolves.toEqual([])
  })
})
