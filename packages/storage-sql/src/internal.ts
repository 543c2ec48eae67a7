// What only the packages of this project share. Their versions are equal.
export { ignoreErrors } from './connection-check.js'
export { createConnectionRunner } from './connection-runner.js'
export * from './executors/cancel-statement.js'
export { createStatementNames } from './executors/executor-options.js'
export { openSqlite } from './executors/sqlite.js'
export { takeMigrationLock } from './migration-lock.js'
export type { CancelStatement } from './pooled-client.js'
export type { DialectName, Row } from './sql-executor.js'
export {
  findMissingColumn,
  isBusy,
  isMissingColumn,
  isMissingTable,
  toCode,
  toDriverMessage,
  toErrorWithCode,
} from './storage-error.js'
export { readIdentifier, type TableOptions } from './table-names.js'
