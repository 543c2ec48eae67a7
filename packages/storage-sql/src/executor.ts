// For executors, and for packages that use the tables of the storage.
export {
  createMysqlCanceller,
  createPgCanceller,
  type MysqlConnection,
  type MysqlConnectionClass,
  type PgConnection,
  type PgConnectionClass,
} from './cancel-statement.js'
export { type CancelStatement, type ConnectionPool, requireBackslashEscapes } from './connection-pool.js'
export { getMember } from './get-member.js'
export { type MigrationLock, takeMigrationLock } from './migration-lock.js'
export { createPooledExecutor, type PooledClient } from './pooled-executor.js'
export { retryConflicts } from './query-runner.js'
export { createSlots, type Slots } from './slots.js'
export { createStatementNames } from './statement-names.js'
export {
  adviseOnSchema,
  isBusy,
  isMissingColumn,
  isMissingTable,
  toCode,
  toDriverMessage,
  toErrorWithCode,
} from './storage-error.js'
export { parseTableNames, type TableNames } from './table-names.js'
export { createConnectionUser, type UseConnection } from './use-connection.js'
