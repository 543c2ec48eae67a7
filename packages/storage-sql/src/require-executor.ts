import { usageError } from '@jwt-auth/core/adapter'
import type { SqlExecutor } from './sql-executor.js'

/**
 * Checks that a value is an executor, and returns it.
 *
 * @throws TypeError that names the function and the fix
 */
export const requireExecutor = (caller: 'sqlStorage' | 'sqlLimits', executor: SqlExecutor): SqlExecutor => {
  const { dialect, query, transaction } = Object(executor)
  if (['sqlite', 'postgresql', 'mysql'].includes(dialect) && [query, transaction].every(isFunction)) return executor
  throw usageError(caller, `${caller} must be given an executor, such as pgExecutor(pool).`)
}

const isFunction = (value: unknown): boolean => typeof value === 'function'
