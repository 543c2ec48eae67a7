import { closeSync, openSync } from 'node:fs'
import type { Knex } from 'knex'
import BetterSqlite3Client from 'knex/lib/dialects/better-sqlite3/index.js'
import Database from 'libsql'
import { memberOf } from './dialect.js'
import { discardAfterLock } from './discard-connection.js'

/** knex's better-sqlite3 dialect over libsql, which has the same interface and comes prebuilt for every Node. */
class LibsqlClient extends BetterSqlite3Client {
  _driver(): typeof Database {
    return Database
  }

  override async acquireRawConnection(): Promise<unknown> {
    createPrivateFile(String(memberOf(this.connectionSettings, 'filename')))
    return super.acquireRawConnection()
  }

  readonly #kept = new WeakMap<Database.Database, Map<string, Database.Statement>>()

  // libsql leaves a statement that met a lock in progress until it is collected as garbage (tursodatabase/libsql-js#238). Until
  // then its connection reads what was true when it next looked, and acknowledges writes that it does not commit: such a
  // connection must not be used again, and knex's pool destroys what carries this mark.
  override async _query(connection: Database.Database, query: LibsqlQuery): Promise<unknown> {
    try {
      return query.isKept === true ? this.#runKept(connection, query) : await super._query(connection, query)
    } catch (error) {
      discardAfterLock(connection, error)
      throw error
    }
  }

  /** Runs a statement of the storage, which is prepared once for each connection: that takes longer than to run it. */
  #runKept(connection: Database.Database, query: LibsqlQuery): unknown {
    const kept = this.#kept.get(connection) ?? new Map<string, Database.Statement>()
    this.#kept.set(connection, kept)
    const statement = kept.get(query.sql) ?? connection.prepare(query.sql)
    kept.set(query.sql, statement)
    return { ...query, response: statement.reader ? statement.all(query.bindings) : statement.run(query.bindings) }
  }
}

// SQLite would create the file readable for every user of the machine. Its other files take over the mode of this one.
const createPrivateFile = (filename: string): void => {
  if (filename === '' || filename.startsWith(':') || filename.startsWith('file:')) return
  try {
    closeSync(openSync(filename, 'ax', 0o600))
  } catch {
    // The file exists, or the driver reports why it cannot be created.
  }
}

/** A query as knex hands it to a driver. */
interface LibsqlQuery {
  readonly sql: string
  readonly bindings: readonly unknown[]
  /** Whether the statement is one of few, and worth keeping. */
  readonly isKept?: boolean
}

// How long a statement waits for another process that writes. libsql is synchronous: the event loop waits with it.
const busyTimeoutMs = 500

/**
 * Returns the knex configuration for a SQLite file (or `':memory:'`) with the settings that session storage relies on: one
 * connection, a write-ahead log, and `synchronous=FULL`, so that an acknowledged revocation survives a power cut. A file that does not
 * exist is created with the mode 0600, since it holds password hashes and session data: only the user of this process can read it.
 *
 * @example const database = knex(libsqlConfig('data/site.sqlite'))
 */
export const libsqlConfig = (filename: string): Knex.Config => ({
  client: LibsqlClient,
  connection: { filename },
  useNullAsDefault: true,
  // knex would print bound values into its error messages.
  compileSqlOnError: false,
  pool: {
    min: 1,
    max: 1,
    afterCreate: (
      connection: Database.Database,
      done: (error: Error | null, connection: Database.Database) => void,
    ) => {
      connection.pragma(`busy_timeout = ${busyTimeoutMs}`)
      connection.pragma('journal_mode = wal')
      connection.pragma('synchronous = full')
      done(null, connection)
    },
  },
})
