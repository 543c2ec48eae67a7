import { checkOptionNames, optionError } from '@jwt-auth/core/internal'
import { type SqlStorage, sqlStorage } from '@jwt-auth/storage-sql'
import type { TableOptions } from '@jwt-auth/storage-sql/internal'
import type { Knex } from 'knex'
import { requireKnex, toDialect } from './dialect.js'
import { knexExecutor } from './knex-executor.js'

/** The options of `knexStorage`. */
export interface KnexStorageOptions extends TableOptions {
  /**
   * Whether PostgreSQL prepares each statement of the storage once per connection. A pooler in
   * transaction mode must support this: PgBouncer 1.21 or later with `max_prepared_statements`
   * above 0. Only `false` is allowed on other databases.
   *
   * @default false
   */
  readonly preparedStatements?: boolean | undefined
}

/**
 * Creates session storage in SQLite, PostgreSQL, MySQL or MariaDB. It counts failed attempts too,
 * in a table of their own. Your application creates the knex instance, and destroys it after
 * `await auth.close()`. Call `migrate()` of the storage at each start.
 *
 * A method that fails rejects with an `Error`. Its `code` is the code of the driver or of the
 * database, and its message has no bound value.
 *
 * @throws TypeError for a value that is not a knex instance, for a database that is not supported,
 * and for a wrong or unknown option
 *
 * @example
 * ```ts
 * const storage = knexStorage(knex({ client: 'pg', connection: process.env.DATABASE_URL }))
 * await storage.migrate()
 * const auth = jwtAuth({ secret, issuer, users, storage })
 * ```
 */
export const knexStorage = (knex: Knex, options: KnexStorageOptions = {}): SqlStorage => {
  requireKnex('knexStorage', knex)
  const names = { table: true, schema: true, preparedStatements: true }
  const { preparedStatements = false, ...tables } = checkOptionNames(options, names, 'knexStorage')
  const isPostgresql = toDialect(knex) === 'postgresql'
  if (typeof preparedStatements !== 'boolean' || (preparedStatements && !isPostgresql)) {
    throw optionError('knexStorage.preparedStatements', 'a boolean, and true only on PostgreSQL', preparedStatements)
  }
  return sqlStorage(knexExecutor(knex, preparedStatements), tables)
}
