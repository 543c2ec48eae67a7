import { type MigrationPlan, migrate } from '@jwt-auth/storage-sql/internal/migrate'
import { migrations, toKnownVersion } from '@jwt-auth/storage-sql/internal/migrations'
import { readTableNames } from '@jwt-auth/storage-sql/internal/table-names'
import { type FreshDatabase, findDatabases } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import type { Knex } from 'knex'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { knexExecutor } from '../src/knex-executor.js'

const version = toKnownVersion(migrations) + 1
const later = {
  known: [
    ...migrations,
    {
      schemaVersion: version,
      oldestCompatible: 1,
      write: ({ sessions }) => [`alter table ${sessions} add column country varchar(2)`],
    },
  ],
} satisfies MigrationPlan
// Enough for the lookup of the schema version on a busy machine.
const lockTimeoutMs = 3_000

const servers = (await findDatabases()).filter(({ name }) => name !== 'SQLite')

describeEach(
  servers,
  'migrate on $name while another transaction has locked its tables',
  ({ name, createDatabase }) => {
    const isPostgresql = name === 'PostgreSQL'
    let database: FreshDatabase
    let knex: Knex
    let endHeld = async (): Promise<void> => {}

    beforeEach(async () => {
      database = await createDatabase()
      knex = database.connect({ min: 1, max: 1 })
      await migrateTo({ known: migrations })
    })
    afterEach(async () => {
      await endHeld()
      await database.drop()
    })

    const migrateTo = (plan: MigrationPlan): Promise<void> => {
      const executor = knexExecutor(knex, false)
      return migrate(executor, readTableNames({}, executor.dialect), plan)
    }

    /**
     * Runs a statement in a transaction of another client, and keeps the transaction open until
     * `endHeld`.
     */
    const hold = async (statement: string): Promise<void> => {
      const transaction = await database.connect().transaction()
      endHeld = async () => {
        endHeld = async () => {}
        if (!isPostgresql) await transaction.raw('unlock tables')
        await transaction.rollback()
      }
      await transaction.raw(statement)
    }

    // Without a limit, the test waits for its own transaction until it fails.
    const limit = { timeout: 60_000 }

    it('aborts the change of a table at its limit, names the fix, and succeeds afterwards', limit, async () => {
      await hold('select * from jwt_auth_sessions')
      const code = isPostgresql ? '55P03' : 'ER_LOCK_WAIT_TIMEOUT'
      await expect(migrateTo({ ...later, lockTimeoutMs })).rejects.toThrow(
        `jwt-auth: a table of the migration was still locked by another transaction after 3 s (${code}). End that transaction, then start again.`,
      )
      await endHeld()
      await migrateTo(later)
      expect(await knex('jwt_auth_sessions_migrations').max('version as version').first()).toEqual({ version })
    })

    it('aborts the lookup of the schema version at its limit', limit, async () => {
      const lock = isPostgresql
        ? 'lock table jwt_auth_sessions_migrations'
        : 'lock tables jwt_auth_sessions_migrations write'
      await hold(lock)
      await expect(migrateTo({ ...later, lockTimeoutMs })).rejects.toThrow(
        'the table of migrations was not readable within 3 s (TimeoutError). Another transaction has locked it, or the SQL client had no connection.',
      )
    })

    it('keeps the time limits of the connection', async () => {
      const read = async (): Promise<unknown> =>
        isPostgresql ? (await knex.raw('show lock_timeout')).rows : (await knex.raw('select @@lock_wait_timeout'))[0]
      const before = await read()
      await migrateTo(later)
      expect(await read()).toEqual(before)
    })
  },
)
