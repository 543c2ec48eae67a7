declare module 'knex/lib/dialects/better-sqlite3/index.js' {
  import type { Knex } from 'knex'

  const BetterSqlite3Client: typeof Knex.Client
  // biome-ignore lint/style/noDefaultExport: the shape of knex's own file
  export default BetterSqlite3Client
}
