import type { CallOptions, SessionStorage, StorageStatus } from '@jwt-auth/core'
import { checkOptionNames, optionError } from '@jwt-auth/core/adapter'
import type { Knex } from 'knex'
import { type DialectName, toDialect } from './dialect.js'
import { findPendingSql, migrate } from './migrate.js'
import { migrations, toKnownVersion } from './migrations/migrations.js'
import { createQueryRunner, createStatementSender } from './query-runner.js'
import { createStatusMethod } from './schema-versions.js'
import { createChangingMethods, createFindingMethods } from './session-queries.js'
import { writeStatements } from './statements.js'
import { parseTableNames, type TableOptions } from './table-names.js'

/** The options of `knexStorage`. */
export interface KnexStorageOptions extends TableOptions {
  /**
   * Whether PostgreSQL keeps the statements of the storage prepared on each connection, under names that start with `jwt_auth_`.
   * PostgreSQL then parses each statement once per connection and can reuse its plan. A pooler in transaction mode must support
   * prepared statements: PgBouncer 1.21 or later with `max_prepared_statements` above 0. Only `false` is allowed on other
   * databases.
   *
   * @default false
   */
  readonly preparedStatements?: boolean | undefined
}

/** Session storage in a SQL database, with the methods that create and check its schema. */
export interface KnexStorage extends SessionStorage {
  /**
   * Creates or updates the tables. Call it at each start: it does nothing when the schema is up to date. Several processes may call it
   * concurrently, and processes with an older version of this package keep working.
   *
   * @throws Error that names the versions and the fix, and changes nothing, when the schema is too new for this package
   *
   * @example
   * ```ts
   * await storage.migrate()
   * ```
   */
  readonly migrate: () => Promise<void>
  /**
   * Resolves to the statements that {@link migrate} would run, in their order, for a database user of your own who may change the
   * schema. Runs none of them. Resolves to an empty list when the schema is up to date.
   *
   * @throws Error that names the versions and the fix, when the schema is too new for this package
   *
   * @example
   * ```ts
   * for (const statement of await storage.migrationSql()) console.log(`${statement};`)
   * ```
   */
  readonly migrationSql: () => Promise<readonly string[]>
  /**
   * Resolves to whether the database is reachable, whether this package can use the schema, and whether {@link migrate} must be called.
   * Writes nothing. Never rejects: a failure is a status with `isReachable: false`.
   *
   * @example
   * ```ts
   * const status = await storage.status({ signal: AbortSignal.timeout(1_000) })
   * res.sendStatus(status.isReady ? 200 : 503)
   * ```
   */
  readonly status: (options?: CallOptions) => Promise<StorageStatus>
}

/**
 * Creates session storage in SQLite, PostgreSQL, MySQL or MariaDB. Your application creates the knex instance, and destroys it after
 * `await auth.close()`. Call {@link KnexStorage.migrate} at each start.
 *
 * A method that fails rejects with an `Error`. Its `code` is the code of the driver or of the database, and its message has no bound
 * value.
 *
 * @throws TypeError for a value that is not a knex instance, for a database that is not supported, and for a wrong or unknown
 * option
 *
 * @example
 * ```ts
 * const storage = knexStorage(knex({ client: 'pg', connection: process.env.DATABASE_URL }))
 * await storage.migrate()
 * const auth = jwtAuth({ secret, issuer, users, storage })
 * ```
 */
export const knexStorage = (knex: Knex, options: KnexStorageOptions = {}): KnexStorage => {
  if (typeof knex?.raw !== 'function') throw new TypeError('jwt-auth: knexStorage must be given a knex instance.')
  checkOptionNames(options, optionNames, 'knexStorage')
  const dialect = toDialect(knex)
  const names = parseTableNames(options, dialect.name)
  const sql = writeStatements(names, dialect.name)
  const sendStatement = createStatementSender(knex, parsePreparedStatements(options, dialect.name))
  const runner = createQueryRunner(dialect, sendStatement)
  return {
    ...createFindingMethods(sql, runner, dialect.name),
    ...createChangingMethods(sql, runner, dialect.name),
    migrate: () => migrate(knex, names, migrations),
    migrationSql: () => findPendingSql(knex, names, migrations),
    status: createStatusMethod(dialect, sendStatement, { names, knownVersion: toKnownVersion(migrations) }),
  }
}

const optionNames: Readonly<Record<keyof KnexStorageOptions, true>> = {
  table: true,
  schema: true,
  preparedStatements: true,
}

const parsePreparedStatements = ({ preparedStatements }: KnexStorageOptions, dialect: DialectName): boolean => {
  if (preparedStatements === undefined || preparedStatements === false) return false
  if (preparedStatements === true && dialect === 'postgresql') return true
  throw optionError('preparedStatements', 'true or false, and true only on PostgreSQL', preparedStatements)
}
