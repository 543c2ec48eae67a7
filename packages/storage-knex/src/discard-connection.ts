import { isBusy } from '@jwt-auth/storage-sql/executor'

/** Marks a connection. knex's pool destroys a marked connection instead of handing it out again. */
export const discardConnection = (connection: object, reason: unknown): void => {
  Object.assign(connection, { __knex__disposed: reason })
}

/** Discards a SQLite connection whose statement failed because of a lock. The reason is in libsql.ts. */
export const discardAfterLock = (connection: object, error: unknown): void => {
  if (isBusy(error)) discardConnection(connection, 'one of its statements failed because of a lock')
}
