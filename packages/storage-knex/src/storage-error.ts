const missingTable: ReadonlySet<string> = new Set(['42P01', 'ER_NO_SUCH_TABLE'])

// The database rolled the statement back by itself, so that it may simply be sent again.
const conflicts: ReadonlySet<string> = new Set(['40001', '40P01', 'ER_LOCK_DEADLOCK'])

/** Whether the database gave up a statement because of another one at the same time. */
export const isConflict = (thrown: unknown): boolean => conflicts.has(readCode(thrown))

/** Whether SQLite gave up a statement because another connection held a lock. */
export const isBusy = (thrown: unknown): boolean => readCode(thrown).startsWith('SQLITE_BUSY')

/**
 * The failure of a storage operation, for the host's log. Keeps the database's code; drops its message, which may hold
 * bound values (knex prints them, and a duplicate key shows itself).
 */
export const toStorageError = (operation: string, thrown: unknown): Error => {
  const advice = isMissingTable(thrown) ? '; its table is missing: call storage.migrate()' : ''
  return toErrorWithCode(`knex storage could not ${operation}`, thrown, advice)
}

/** The same for what `knexUsers` does with the host's table: what was typed as a user name may be a password. */
export const toUsersError = (operation: string, thrown: unknown): Error =>
  toErrorWithCode(`knexUsers could not ${operation}`, thrown)

const toErrorWithCode = (sentence: string, thrown: unknown, advice = ''): Error => {
  const code = readCode(thrown)
  return Object.assign(new Error(`jwt-auth: ${sentence} (${code})${advice}`), { code })
}

/** The code a driver gives a failure, or its name. */
export const readCode = (thrown: unknown): string => {
  if (!(thrown instanceof Error)) return 'unknown failure'
  return 'code' in thrown && typeof thrown.code === 'string' && thrown.code !== '' ? thrown.code : thrown.name
}

/** Whether a statement failed because its table is not there. SQLite has no code of its own for it. */
export const isMissingTable = (thrown: unknown): boolean =>
  missingTable.has(readCode(thrown)) || (thrown instanceof Error && thrown.message.includes('no such table'))
