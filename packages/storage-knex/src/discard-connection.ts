import { isBusy } from './storage-error.js'

/** Marks a connection so that knex's pool destroys it instead of handing it out again. */
export const discardConnection = (connection: object, reason: unknown): void => {
  Object.assign(connection, { __knex__disposed: reason })
}

/** Discards a connection to SQLite whose statement met a lock: see libsql.ts. */
export const discardAfterLock = (connection: object, error: unknown): void => {
  if (isBusy(error)) discardConnection(connection, 'a statement of it met a lock')
}
