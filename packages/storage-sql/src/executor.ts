// For executors, and for packages that use the tables of the storage.
export { createFairQueue, type QueueBounds } from '@jwt-auth/core/adapter'
export { ignoreErrors } from './connection-check.js'
export { createConnectionRunner } from './connection-runner.js'
export * from './executors/cancel-statement.js'
export { createStatementNames } from './executors/executor-options.js'
export { openSqlite } from './executors/sqlite.js'
export { type MigrationLock, takeMigrationLock } from './migration-lock.js'
export type { CancelStatement, PooledClient } from './pooled-client.js'
export { createPooledExecutor } from './pooled-executor.js'
export {
  findMissingColumn,
  isBusy,
  isMissingColumn,
  isMissingTable,
  toCode,
  toDriverMessage,
  toErrorWithCode,
} from './storage-error.js'
export { readIdentifier } from './table-names.js'
