import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findPendingSql, migrate } from '@jwt-auth/storage-sql/internal/migrate'
import { type Migration, migrations, toKnownVersion } from '@jwt-auth/storage-sql/internal/migrations'
import { createStatusMethod } from '@jwt-auth/storage-sql/internal/schema-versions'
import { readTableNames } from '@jwt-auth/storage-sql/internal/table-names'
import { findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import type { Knex } from 'knex'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { knexExecutor } from '../src/knex-executor.js'

const newest = toKnownVersion(migrations)
const later = newest + 1
const { oldestCompatible: oldest = 0 } = migrations.at(-1) ?? {}
const rows = migrations.map(({ schemaVersion, oldestCompatible }) => ({
  version: schemaVersion,
  oldest_compatible: oldestCompatible,
}))

const refusal = `jwt-auth: the schema of the storage has version ${later}, which needs code that knows version ${later} or later; this package knows version ${newest}. Deploy the newer package.`

/** The schema of a later package, which has one migration more. */
const createLaterSchema = (knex: Knex, oldestCompatible: number, executor = knexExecutor(knex, false)) => {
  const next: Migration = {
    schemaVersion: later,
    oldestCompatible,
    write: ({ sessions, bare }) => [
      `alter table ${sessions} add column country varchar(2)`,
      `create index ${bare}_country on ${sessions} (country)`,
    ],
  }
  const known = [...migrations, next]
  const names = readTableNames({}, executor.dialect)
  return {
    migrate: () => migrate(executor, names, { known }),
    migrationSql: () => findPendingSql(executor, names, known),
    status: createStatusMethod(executor, names, toKnownVersion(known)),
  }
}

const primary = expect.any(String)
const store = expect.stringMatching(/\/jwt_auth_sessions$/)

describeEach(await findDatabases(), 'schema versions on $name', async ({ createDatabase }) => {
  const database = await createDatabase()
  let knex: Knex

  beforeEach(() => {
    knex = database.connect()
  })
  afterEach(() => database.empty())
  afterAll(() => database.drop())

  const readVersions = () => knex('jwt_auth_sessions_migrations').orderBy('version')
  it('are 0 in the status before the first migrate', async () => {
    const storage = knexStorage(knex)
    expect(await storage.status()).toEqual({
      primary,
      store,
      isReachable: true,
      isReady: false,
      schemaVersion: 0,
      oldestCompatible: 0,
      knownVersion: newest,
      isMigrationNeeded: true,
      isCompatible: true,
    })
    expect(await knex.schema.hasTable('jwt_auth_sessions_migrations')).toBe(false)
  })

  it('are in the status after migrate, and the storage is ready', async () => {
    const storage = knexStorage(knex)
    await storage.migrate()
    expect(await storage.status()).toEqual({
      primary,
      store,
      isReachable: true,
      isReady: true,
      schemaVersion: newest,
      oldestCompatible: oldest,
      knownVersion: newest,
      isMigrationNeeded: false,
      isCompatible: true,
    })
    expect(await readVersions()).toEqual(rows)
  })

  it('show a later package that its migration is needed, and the statements of that migration', async () => {
    await knexStorage(knex).migrate()
    const schema = createLaterSchema(knex, oldest)
    expect(await schema.status()).toMatchObject({ isReady: false, isMigrationNeeded: true, isCompatible: true })
    const statements = await schema.migrationSql()
    expect(statements.map((sql) => sql.split(' ', 2).join(' '))).toEqual(['alter table', 'create index', 'insert into'])
    await schema.migrate()
    expect(await schema.status()).toMatchObject({ isReady: true, schemaVersion: later, oldestCompatible: oldest })
    expect(await schema.migrationSql()).toEqual([])
  })

  it('allow a migration that was interrupted before it was recorded to run again', async () => {
    await knexStorage(knex).migrate()
    const executor = knexExecutor(knex, false)
    const interrupted = createLaterSchema(knex, oldest, {
      ...executor,
      transaction: (work) =>
        executor.transaction((query) =>
          work((text, values) => (text.startsWith('insert') ? Promise.reject(new Error('lost')) : query(text, values))),
        ),
    })
    await expect(interrupted.migrate()).rejects.toThrow('lost')
    const schema = createLaterSchema(knex, oldest)
    expect(await schema.status()).toMatchObject({ isMigrationNeeded: true })
    await schema.migrate()
    expect(await readVersions()).toEqual([...rows, { version: later, oldest_compatible: oldest }])
    expect(await knex('jwt_auth_sessions').select('country')).toEqual([])
  })

  it('allow this package to work with a compatible migration of a later package', async () => {
    await createLaterSchema(knex, oldest).migrate()
    const storage = knexStorage(knex)
    await storage.migrate()
    expect(await storage.migrationSql()).toEqual([])
    expect(await storage.status()).toMatchObject({ isReady: true, schemaVersion: later, knownVersion: newest })
    await storage.create(sampleSession(1))
    expect(await storage.findByIds([sampleSession(1).id])).toEqual([sampleSession(1)])
    expect(await readVersions()).toEqual([...rows, { version: later, oldest_compatible: oldest }])
  })

  it('make migrate of this package reject after an incompatible migration, and nothing changes', async () => {
    await createLaterSchema(knex, later).migrate()
    const storage = knexStorage(knex)
    await expect(storage.migrate()).rejects.toThrow(refusal)
    await expect(storage.migrationSql()).rejects.toThrow(refusal)
    expect(await storage.status()).toMatchObject({ isReady: false, isMigrationNeeded: false, isCompatible: false })
    expect(await knex('jwt_auth_sessions')).toEqual([])
    expect(await readVersions()).toEqual([...rows, { version: later, oldest_compatible: later }])
  })

  it('make migrate of this package reject when an earlier of several migrations is incompatible', async () => {
    await createLaterSchema(knex, later).migrate()
    await knex('jwt_auth_sessions_migrations').insert({ version: later + 1, oldest_compatible: oldest })
    await expect(knexStorage(knex).migrate()).rejects.toThrow(
      `has version ${later + 1}, which needs code that knows version ${later} or later`,
    )
  })

  it.each([
    ['a column', 'alter table jwt_auth_sessions drop column label', 'lacks a column: migrate() cannot add label'],
    ['the table', 'drop table jwt_auth_sessions', 'is missing: migrate() cannot add it'],
    ['the table of limits', 'drop table jwt_auth_sessions_limits', 'is missing: migrate() cannot add it'],
  ])('are not ready when %s is missing, and the error says that migrate cannot help', async (_, remove, fault) => {
    const storage = knexStorage(knex)
    await storage.migrate()
    await knex.raw(remove)
    const status = await storage.status()
    expect(status).toMatchObject({ isReachable: false, isReady: false })
    expect(status).toHaveProperty(
      'error.message',
      expect.stringContaining(`; its table ${fault} at this schema version; restore it by hand`),
    )
  })

  it('are unknown in the status of a database that does not respond', async () => {
    const storage = knexStorage(knex)
    const late = await storage.status({ signal: AbortSignal.abort() })
    await knex.destroy()
    const closed = await storage.status()
    for (const status of [late, closed]) {
      expect(status).toEqual({ isReachable: false, isReady: false, knownVersion: newest, error: expect.any(Error) })
    }
    expect(closed).toHaveProperty('error.message', expect.stringMatching(/could not read the schema \(.+\)$/))
  })
})
