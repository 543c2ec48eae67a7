import { randomBytes } from 'node:crypto'
import { createTokenService, type User } from '@jwt-auth/core'
import { sampleSession } from '@jwt-auth/storage-conformance'
import { knexStorage } from '@jwt-auth/storage-knex'
import { findPendingSql, migrate } from '@jwt-auth/storage-sql/internal/migrate'
import { type Migration, migrations, toKnownVersion } from '@jwt-auth/storage-sql/internal/migrations'
import { createStatusMethod } from '@jwt-auth/storage-sql/internal/schema-versions'
import { readTableNames } from '@jwt-auth/storage-sql/internal/table-names'
import { type DatabaseServer, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import type { Knex } from 'knex'
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest'
import { knexExecutor } from '../src/knex-executor.js'

const user: User = { id: 1, email: 'ann@example.com', nicename: 'ann', displayName: 'Ann' }
const users = { findByUsername: async () => user, findById: async () => user, verifyPassword: async () => true }

const refusal =
  'jwt-auth: the schema of the storage has version 2, which needs code that knows version 2 or later; this package knows version 1. Deploy the newer package.'

/** The schema of a later package, which has one migration more. */
const createLaterSchema = (knex: Knex, oldestCompatible: number) => {
  const second: Migration = {
    schemaVersion: 2,
    oldestCompatible,
    write: ({ sessions }) => [`alter table ${sessions} add column country varchar(2)`],
  }
  const known = [...migrations, second]
  const executor = knexExecutor(knex, false)
  const names = readTableNames('sqlStorage', {}, executor.dialect)
  return {
    migrate: () => migrate(executor, names, { known }),
    migrationSql: () => findPendingSql(executor, names, known),
    status: createStatusMethod(executor, names, toKnownVersion(known)),
  }
}

const toPrimary = (name: DatabaseServer['name']) => (name === 'SQLite' ? {} : { primary: expect.any(String) })

describeEach(await findDatabases(), 'schema versions on $name', async ({ name, createDatabase }) => {
  const database = await createDatabase()
  let knex: Knex

  beforeEach(() => {
    knex = database.connect()
  })
  afterEach(() => database.empty())
  afterAll(() => database.drop())

  const readVersions = () => knex('jwt_auth_sessions_migrations').orderBy('version')
  const isLoginPossible = async (): Promise<unknown> => {
    const options = { secret: randomBytes(32), issuer: 'https://a.example', users, storage: knexStorage(knex) }
    return createTokenService(options)
      .authenticate({ username: 'ann', password: 'x' })
      .then(
        () => true,
        ({ cause }) => cause.message,
      )
  }

  it('are 0 in the status before the first migrate', async () => {
    const storage = knexStorage(knex)
    expect(await storage.status()).toEqual({
      ...toPrimary(name),
      isReachable: true,
      isReady: false,
      schemaVersion: 0,
      oldestCompatible: 0,
      knownVersion: 1,
      isMigrationNeeded: true,
      isCompatible: true,
    })
    expect(await knex.schema.hasTable('jwt_auth_sessions_migrations')).toBe(false)
  })

  it('are in the status after migrate, and the storage is ready', async () => {
    const storage = knexStorage(knex)
    await storage.migrate()
    expect(await storage.status()).toEqual({
      ...toPrimary(name),
      isReachable: true,
      isReady: true,
      schemaVersion: 1,
      oldestCompatible: 1,
      knownVersion: 1,
      isMigrationNeeded: false,
      isCompatible: true,
    })
    expect(await readVersions()).toEqual([{ version: 1, oldest_compatible: 1 }])
  })

  it('show a later package that its migration is needed, and the statements of that migration', async () => {
    await knexStorage(knex).migrate()
    const later = createLaterSchema(knex, 1)
    expect(await later.status()).toMatchObject({ isReady: false, isMigrationNeeded: true, isCompatible: true })
    const statements = await later.migrationSql()
    expect(statements.map((sql) => sql.split(' ', 2).join(' '))).toEqual(['alter table', 'insert into'])
    await later.migrate()
    expect(await later.status()).toMatchObject({ isReady: true, schemaVersion: 2, oldestCompatible: 1 })
    expect(await later.migrationSql()).toEqual([])
  })

  it('allow this package to work with a compatible migration of a later package', async () => {
    await createLaterSchema(knex, 1).migrate()
    const storage = knexStorage(knex)
    await storage.migrate()
    expect(await storage.migrationSql()).toEqual([])
    expect(await storage.status()).toMatchObject({ isReady: true, schemaVersion: 2, knownVersion: 1 })
    await storage.create(sampleSession(1))
    expect(await storage.findByIds([sampleSession(1).id])).toEqual([sampleSession(1)])
    expect(await isLoginPossible()).toBe(true)
    expect(await readVersions()).toEqual([
      { version: 1, oldest_compatible: 1 },
      { version: 2, oldest_compatible: 1 },
    ])
  })

  it('make calls of this package fail after an incompatible migration, and nothing changes', async () => {
    await createLaterSchema(knex, 2).migrate()
    const storage = knexStorage(knex)
    await expect(storage.migrate()).rejects.toThrow(refusal)
    await expect(storage.migrationSql()).rejects.toThrow(refusal)
    expect(await storage.status()).toMatchObject({ isReady: false, isMigrationNeeded: false, isCompatible: false })
    expect(await isLoginPossible()).toBe(refusal)
    expect(await knex('jwt_auth_sessions')).toEqual([])
    expect(await readVersions()).toEqual([
      { version: 1, oldest_compatible: 1 },
      { version: 2, oldest_compatible: 2 },
    ])
  })

  it('make calls of this package fail when an earlier of several migrations is incompatible', async () => {
    await createLaterSchema(knex, 2).migrate()
    await knex('jwt_auth_sessions_migrations').insert({ version: 3, oldest_compatible: 1 })
    await expect(knexStorage(knex).migrate()).rejects.toThrow(
      'has version 3, which needs code that knows version 2 or later',
    )
  })

  it('are unknown in the status of a database that does not respond', async () => {
    const storage = knexStorage(knex)
    const late = await storage.status({ signal: AbortSignal.abort() })
    await knex.destroy()
    const closed = await storage.status()
    for (const status of [late, closed]) {
      expect(status).toEqual({ isReachable: false, isReady: false, knownVersion: 1, error: expect.any(Error) })
    }
    expect(closed).toHaveProperty('error.message', expect.stringMatching(/could not read the schema version \(.+\)$/))
  })
})
