import { sessionsTable } from './statements.js'

const missingTable: ReadonlySet<unknown> = new Set(['42P01', 'ER_NO_SUCH_TABLE'])

/**
 * The failure of a storage operation, for the host's log. Keeps the database's code; drops its message, which may hold
 * bound values (knex prints them, and a duplicate key shows itself).
 */
export const toStorageError = (operation: string, thrown: unknown): Error => {
  const code = readCode(thrown)
  const advice = isMissingTable(thrown, code) ? `; the table ${sessionsTable} is missing: call storage.migrate()` : ''
  const error = new Error(`jwt-auth: knex storage could not ${operation} (${code})${advice}`)
  return Object.assign(error, { code })
}

const readCode = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return 'unknown failure'
  return 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : thrown.name
}

// SQLite has no code of its own for it.
const isMissingTable = (thrown: unknown, code: string): boolean =>
  missingTable.has(code) || (thrown instanceof Error && thrown.message.includes(`no such table: ${sessionsTable}`))
