import { type CallOptions, optionError, type SessionStorage, type StorageStatus } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { type DialectName, dialectOf } from './dialect.js'
import { findPendingSql, migrate } from './migrate.js'
import { knownVersion, migrations } from './migrations/migrations.js'
import { createQueryRunner } from './query-runner.js'
import { createReads } from './read-sessions.js'
import { createStatusReader } from './read-status.js'
import { createStatementSender } from './send-statement.js'
import { writeStatements } from './statements.js'
import { readTableNames, type TableOptions } from './table-names.js'
import { createWrites } from './write-sessions.js'

/** Where the sessions stand, and how they are asked for. */
export interface KnexStorageOptions extends TableOptions {
  /**
   * Lets PostgreSQL keep its few statements prepared on each connection, under names that begin with `jwt_auth_`, so that the server
   * plans each statement once. A pooler in transaction mode must support prepared statements: PgBouncer does from 1.21 on, with
   * `max_prepared_statements` above 0. @default false
   */
  readonly preparedStatements?: boolean | undefined
}

/** Session storage in a database, and its schema. */
export interface KnexStorage extends SessionStorage {
  /**
   * Creates or updates the tables. Safe to call at each start, by several processes at once, beside older versions. Rejects, and
   * changes nothing, when the schema is too new for this package. The message names the versions and the fix.
   */
  readonly migrate: () => Promise<void>
  /** Resolves to the statements that {@link migrate} would run, in their order. Runs none of them. Rejects like {@link migrate}. */
  readonly migrationSql: () => Promise<readonly string[]>
  /**
   * Resolves to whether the database is reachable, whether this package may use the schema, and whether {@link migrate} has to be
   * called. Writes nothing. Never rejects: a failure is a status with `isReachable: false`.
   *
   * @example
   * const status = await storage.status({ signal: AbortSignal.timeout(1_000) })
   * res.sendStatus(status.isReady ? 200 : 503)
   */
  readonly status: (options?: CallOptions) => Promise<StorageStatus>
}

/**
 * Sessions in SQLite, PostgreSQL, MySQL or MariaDB, through a knex instance that the host made and closes. Failures
 * reject with the database's code and no bound value.
 *
 * @example
 * const storage = knexStorage(knex({ client: 'pg', connection: process.env.DATABASE_URL }))
 * await storage.migrate()
 */
export const knexStorage = (knex: Knex, options: KnexStorageOptions = {}): KnexStorage => {
  if (typeof knex?.raw !== 'function') throw new TypeError('jwt-auth: knexStorage must be given a knex instance.')
  const dialect = dialectOf(knex).name
  const names = readTableNames(options, dialect)
  const sql = writeStatements(names, dialect)
  const sendStatement = createStatementSender(knex, readPreparedStatements(options, dialect))
  const runner = createQueryRunner(knex, sendStatement)
  return {
    ...createReads(sql, runner, dialect),
    ...createWrites(sql, runner, dialect),
    migrate: () => migrate(knex, names, migrations),
    migrationSql: () => findPendingSql(knex, names, migrations),
    status: createStatusReader(knex, sendStatement, { names, knownVersion: knownVersion(migrations) }),
  }
}

const readPreparedStatements = ({ preparedStatements }: KnexStorageOptions, dialect: DialectName): boolean => {
  if (preparedStatements === undefined || preparedStatements === false) return false
  if (preparedStatements === true && dialect === 'postgresql') return true
  throw optionError('preparedStatements', 'true or false, and true only on PostgreSQL', preparedStatements)
}
