import { passwordUsers, type RehashOptions, type UserDirectory, type UserId } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { type FindRowsNamed, findByUsername } from './find-by-username.js'
import { checkKnexUsersOptions, type KnexUsersOptions } from './knex-users-options.js'
import { createHashReplacer } from './replace-hash.js'
import { toUsersError } from './storage-error.js'
import { createConnectionUser } from './use-connection.js'
import { createRowReader, type UserRow } from './user-row.js'

/**
 * The host's users in a table of the host's own, with password hashes. The table is only read, unless `rehash` is set. Names
 * and ids are compared once more in code, so that a login finds the same user whatever the column's collation.
 *
 * @example
 * knexUsers(knex, {
 *   table: 'users',
 *   columns: { id: 'id', username: 'login', passwordHash: 'password_hash', email: 'email', nicename: 'slug', displayName: 'name' },
 * })
 */
export const knexUsers = (knex: Knex, options: KnexUsersOptions): UserDirectory => {
  checkKnexUsersOptions(options)
  const { table, columns, idType, rehash, ...hashing } = options
  const readRow = createRowReader(options)
  const selection = Object.fromEntries(
    Object.entries(columns).flatMap(([field, column]) => (column === undefined ? [] : [[field, column]])),
  )

  const useConnection = createConnectionUser(knex)

  const find = (
    column: string,
    values: readonly (string | number)[],
    signal: AbortSignal | undefined,
  ): Promise<readonly UserRow[]> =>
    useConnection(signal, (connection) =>
      knex(table).whereIn(column, values).select(selection).connection(connection),
    ).catch((error: unknown) => {
      throw toUsersError('look a user up', error, options)
    })

  return passwordUsers({
    ...hashing,
    rehash: readRehash(rehash, createHashReplacer(knex, options)),
    findByUsername: async (username, asSent, { signal }) => {
      const findRows: FindRowsNamed = (usernames) => find(columns.username, usernames, signal)
      const row = await findByUsername(findRows, { canonical: username, asSent })
      return row && readRow(row)
    },
    findById: async (id, { signal } = {}) => {
      if (!isOfType(id, idType)) return undefined
      const users = (await find(columns.id, [id], signal)).map(readRow)
      return users.find((user) => user.id === id)
    },
  })
}

const readRehash = (
  rehash: KnexUsersOptions['rehash'],
  replaceHash: RehashOptions['replaceHash'],
): RehashOptions | undefined => {
  if (!rehash) return undefined
  return rehash === true ? { replaceHash } : { replaceHash, onError: rehash.onError }
}

// MySQL would compare a text column with a number as numbers: every name that starts with no digit equals 0.
const isOfType = (id: UserId, idType: KnexUsersOptions['idType']): boolean =>
  typeof id === (idType === 'text' ? 'string' : 'number')
