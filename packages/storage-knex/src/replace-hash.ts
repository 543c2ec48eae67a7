import type { RehashOptions } from '@jwt-auth/passwords/internal'
import type { Knex } from 'knex'
import { createTransact } from './knex-executor.js'
import type { ResolvedKnexUsersOptions } from './knex-users-options.js'
import { toUsersError } from './users-error.js'

/**
 * Creates the function that replaces a password hash if the stored hash is still the expected one
 * (docs/design/passwords.md). Its errors hold no bound value: two of the values are hashes, and
 * knex prints values.
 */
export const createHashReplacer = (knex: Knex, options: ResolvedKnexUsersOptions): RehashOptions['replaceHash'] => {
  const transact = createTransact(knex)
  return async (...replacement) => {
    try {
      return await transact((transaction) => replace(transaction, options, replacement))
    } catch (error) {
      if (error instanceof ShortColumnError) throw error
      throw toUsersError('replace a password hash', error, options)
    }
  }
}

// Without its strict mode, MySQL truncates text that is too long for the column. No password would
// match such a hash.
class ShortColumnError extends Error {
  constructor(column: string) {
    super(`jwt-auth: the column ${column} is too short for a new password hash; make it 255 characters long`)
  }
}

const replace = async (
  transaction: Knex.Transaction,
  { table, where, columns }: ResolvedKnexUsersOptions,
  [userId, expectedHash, newHash]: Parameters<RehashOptions['replaceHash']>,
): Promise<boolean> => {
  const withHash = (hash: string) =>
    transaction(table)
      .where({ [columns.id]: userId, [columns.passwordHash]: hash })
      .where(where)
  const affected = await withHash(expectedHash).update({ [columns.passwordHash]: newHash })
  if (affected === 0) return false
  const stored = await withHash(newHash).select(columns.id)
  if (stored.length === 0) throw new ShortColumnError(columns.passwordHash)
  return true
}
