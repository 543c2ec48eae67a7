declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import { Knex } from 'knex'
  import Database from 'libsql'

  // biome-ignore lint/style/noDefaultExport: knex's file has a default export
  export default class BetterSqlite3Client extends Knex.Client {
    /** Opens a connection for the pool, with the driver that a subclass returns. */
    acquireRawConnection(): Promise<Database.Database>
    /** Runs one statement on a connection. Every query of a knex instance calls this method. */
    _query(connection: object, query: unknown): Promise<unknown>
  }
}
