export type { SqlExecutor, SqlQuery, SqlResult, SqlValue } from './sql-executor.js'
export { type SqlStorage, sqlStorage } from './sql-storage.js'
