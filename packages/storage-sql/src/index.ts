export type { DialectName, Row, SqlExecutor, SqlQuery, SqlResult, SqlValue } from './sql-executor.js'
export { type SqlStorage, sqlStorage } from './sql-storage.js'
export type { TableOptions } from './table-names.js'
