import type { RehashOptions } from '@jwt-auth/core'
import type { Knex } from 'knex'
import type { KnexUsersOptions } from './knex-users-options.js'
import { toUsersError } from './storage-error.js'

/**
 * Makes the function that replaces a password hash where it is still the expected one. What it throws holds no bound value:
 * knex prints them, and two of them are hashes.
 */
export const createHashReplacer =
  (knex: Knex, options: Pick<KnexUsersOptions, 'table' | 'columns'>): RehashOptions['replaceHash'] =>
  async (userId, expectedHash, newHash) => {
    try {
      return await knex.transaction((transaction) => replace(transaction, options, { userId, expectedHash, newHash }))
    } catch (error) {
      if (error instanceof ShortColumnError) throw error
      throw toUsersError('replace a password hash', error, options)
    }
  }

interface Replacement {
  readonly userId: number | string
  readonly expectedHash: string
  readonly newHash: string
}

// MySQL outside of its strict mode cuts what is too long: the user would have a hash that nothing matches.
class ShortColumnError extends Error {
  constructor(column: string) {
    super(`jwt-auth: the column ${column} is too short for a new password hash; make it 255 characters long`)
  }
}

const replace = async (
  transaction: Knex.Transaction,
  { table, columns }: Pick<KnexUsersOptions, 'table' | 'columns'>,
  { userId, expectedHash, newHash }: Replacement,
): Promise<boolean> => {
  const affected = await transaction(table)
    .where({ [columns.id]: userId, [columns.passwordHash]: expectedHash })
    .update({ [columns.passwordHash]: newHash })
  if (affected === 0) return false
  const stored = await transaction(table).where(columns.id, userId).pluck(columns.passwordHash)
  if (!stored.includes(newHash)) throw new ShortColumnError(columns.passwordHash)
  return true
}
