import { closeSync, openSync } from 'node:fs'
import { getMember, readText } from '@jwt-auth/core/internal'
import { openSqlite } from '@jwt-auth/storage-sql/internal'
import type { Knex } from 'knex'
import BetterSqlite3Client from 'knex/lib/dialects/better-sqlite3/index.js'
import Database from 'libsql'
import { discardAfterLock } from './knex-client.js'

/**
 * knex's dialect for better-sqlite3 with the driver libsql, which has the same interface and one
 * prebuilt binary for all versions of Node.
 */
class LibsqlClient extends BetterSqlite3Client {
  _driver(): typeof Database {
    return Database
  }

  override async acquireRawConnection(): Promise<Database.Database> {
    createPrivateFile(String(getMember(this.connectionSettings, 'filename')))
    return openSqlite(() => super.acquireRawConnection())
  }

  readonly #kept = new WeakMap<Database.Database, Map<string, Database.Statement>>()

  // When a statement fails because of a lock, libsql leaves it in progress until it is
  // garbage-collected (tursodatabase/libsql-js#238). Until then the connection reads an old state
  // and acknowledges writes that it does not commit, so it must not be used again.
  override async _query(connection: Database.Database, query: LibsqlQuery): Promise<unknown> {
    try {
      return query.isKept === true ? this.#runKept(connection, query) : await super._query(connection, query)
    } catch (error) {
      discardAfterLock(connection, error)
      throw error
    }
  }

  /**
   * Runs a statement of the storage. Prepares it once for each connection, because preparing takes
   * longer than running.
   */
  #runKept(connection: Database.Database, query: LibsqlQuery): unknown {
    const kept = this.#kept.get(connection) ?? new Map<string, Database.Statement>()
    this.#kept.set(connection, kept)
    const statement = kept.get(query.sql) ?? connection.prepare(query.sql)
    kept.set(query.sql, statement)
    return { ...query, response: statement.reader ? statement.all(query.bindings) : statement.run(query.bindings) }
  }
}

// SQLite would create a file that every user of the machine can read. SQLite gives its other files
// the mode of this file.
const createPrivateFile = (filename: string): void => {
  if (filename === '' || filename.startsWith(':') || filename.startsWith('file:')) return
  try {
    closeSync(openSync(filename, 'ax', 0o600))
  } catch {
    // The file exists, or the driver reports why it cannot be created.
  }
}

/** A query as knex passes it to a dialect. */
interface LibsqlQuery {
  readonly sql: string
  readonly bindings: readonly unknown[]
  /** Whether the statement comes from the storage, which has few statements, and stays prepared. */
  readonly isKept?: boolean
}

/**
 * Returns the knex configuration for a SQLite file with the settings that session storage relies
 * on: one connection, a write-ahead log, and `synchronous=FULL`, so that an acknowledged revocation
 * survives a power cut. A statement waits at most 500 milliseconds for another process that writes.
 *
 * A file that does not exist is created with the mode 0600: only the user of this process can read
 * the password hashes and sessions. The folder must exist.
 *
 * @param filename the path of the file, or `':memory:'`
 * @throws TypeError when `filename` is not text
 *
 * @example
 * ```ts
 * const database = knex(sqliteConfig('data/site.sqlite'))
 * ```
 */
export const sqliteConfig = (filename: string): Knex.Config => ({
  client: LibsqlClient,
  connection: {
    filename: readText('sqliteConfig.filename', filename, "a file name as text, such as 'data/site.sqlite'"),
  },
  useNullAsDefault: true,
  // knex would write bound values into its error messages.
  compileSqlOnError: false,
  pool: { min: 1, max: 1 },
})
