export { type KnexStorage, knexStorage } from './knex-storage.js'
export { type KnexUsersOptions, knexUsers, type UserColumns } from './knex-users.js'
export { withMigrationLock } from './migration-lock.js'
export type { TableOptions } from './table-names.js'
