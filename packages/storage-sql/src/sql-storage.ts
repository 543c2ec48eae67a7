import type { MigratableStorage } from '@jwt-auth/core/adapter'
import { findPendingSql, migrate } from './migrate.js'
import { migrations, toKnownVersion } from './migrations.js'
import { createQueryRunner } from './query-runner.js'
import { createStatusMethod } from './schema-versions.js'
import { createSessionMethods } from './session-queries.js'
import { requireExecutor, type SqlExecutor } from './sql-executor.js'
import { createSqlLimiter } from './sql-limits.js'
import { writeStatements } from './statements.js'
import { readTableNames, type TableOptions } from './table-names.js'

/** Session storage in a SQL database. */
export interface SqlStorage extends MigratableStorage {
  /**
   * Resolves to the statements that `migrate()` would run, in their order, for a database user of
   * your own who may change the schema. Runs none of them. Resolves to an empty list when the
   * schema is up to date.
   *
   * @throws Error that names the versions and the fix, when the schema is too new for this package
   *
   * @example
   * ```ts
   * for (const statement of await storage.migrationSql()) console.log(`${statement};`)
   * ```
   */
  migrationSql(): Promise<readonly string[]>
}

/**
 * Creates session storage in SQLite, PostgreSQL, MySQL or MariaDB. It counts failed attempts too,
 * in a table of their own. Your application opens the SQL client of the executor, and closes it
 * after `await auth.close()`. Call `migrate()` of the storage at each start.
 *
 * A method that fails rejects with an `Error`. Its `code` is the code of the driver or of the
 * database, and its message has no bound value.
 *
 * @throws TypeError for a value that is not an executor, and for a wrong or unknown option
 *
 * @example
 * ```ts
 * const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL })
 * const storage = sqlStorage(pgExecutor(pool))
 * await storage.migrate()
 * const auth = jwtAuth({ secret, issuer, users, storage })
 * ```
 */
export const sqlStorage = (executor: SqlExecutor, options: TableOptions = {}): SqlStorage => {
  const { dialect } = requireExecutor(executor)
  const names = readTableNames(options, dialect)
  const sql = writeStatements(names, dialect)
  return {
    ...createSessionMethods(sql, createQueryRunner(executor), dialect),
    limiter: createSqlLimiter(executor, names),
    migrate: () => migrate(executor, names, { known: migrations }),
    migrationSql: () => findPendingSql(executor, names, migrations),
    status: createStatusMethod(executor, names, toKnownVersion(migrations)),
  }
}
