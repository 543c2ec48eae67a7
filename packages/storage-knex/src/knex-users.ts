import { type CallOptions, isAuthError, type User, type UserDirectory } from '@jwt-auth/core'
import { passwordUsers, type StoredUser } from '@jwt-auth/passwords'
import { createConnectionRunner } from '@jwt-auth/storage-sql/internal'
import type { Knex } from 'knex'
import { requireKnex } from './dialect.js'
import { findByUsername } from './find-by-username.js'
import { createKnexClient } from './knex-client.js'
import { type IdColumnType, type KnexUsersOptions, resolveKnexUsersOptions } from './knex-users-options.js'
import { createHashReplacer } from './replace-hash.js'
import { createRowReader } from './user-row.js'
import { toUsersError } from './users-error.js'

/**
 * A user of a table. `Extra` has the members of the option `extraColumns`. The id is text with the
 * option `idType: 'text'`.
 */
export type TableUser<Extra extends object = object, IdType extends IdColumnType = 'integer'> = User & {
  /** Identifies the user, and never changes. */
  readonly id: IdType extends 'text' ? string : number
} & Readonly<Extra>

/** A directory of the users of a table. */
export interface KnexUsers<U extends User = User> extends UserDirectory<U> {
  /**
   * Checks that the table and its columns exist, and reads up to 100 users. Call it at the start,
   * to find a mistake before the first login does.
   *
   * @throws Error that names the missing table, or the missing or unreadable column and its option
   */
  check(): Promise<void>
}

/**
 * Creates a user directory over your own table of users with password hashes. Reads the table, and
 * writes to it only with the option `rehash`. Compares names and ids exactly, so that a login finds
 * the same user with every collation of the column.
 *
 * A lookup that fails rejects with an `Error` that has the code of the driver or of the database.
 * The message names a missing table or column by the option, and has no bound value.
 *
 * The first type parameter has the members of `extraColumns`. Without it, their values are
 * `unknown`. If you write the first type parameter and set `idType: 'text'`, also write `'text'` as
 * the second type parameter.
 *
 * Without options, the table is the one that `createUsersTable` creates.
 *
 * @returns the value of the option `users` of `jwtAuth`
 * @throws TypeError that names the wrong or unknown option
 *
 * @example
 * ```ts
 * const users = knexUsers(knex, {
 *   table: 'users',
 *   columns: { id: 'id', username: 'login', passwordHash: 'password_hash', email: 'email' },
 * })
 * ```
 *
 * @example
 * ```ts
 * const extraColumns = { role: 'role' }
 * const users = knexUsers<{ role: 'admin' | 'member' }>(knex, { table, columns, extraColumns })
 * const auth = jwtAuth({ …, users, claims: (user) => ({ role: user.role }) })
 * ```
 */
export function knexUsers<Extra extends object = object, IdType extends IdColumnType = 'integer'>(
  knex: Knex,
  options?: KnexUsersOptions<Extra, IdType>,
): KnexUsers<TableUser<Extra, IdType>>
export function knexUsers(knex: Knex, given: KnexUsersOptions = {}): KnexUsers {
  requireKnex('knexUsers', knex)
  const options = resolveKnexUsersOptions(given)
  const { table, where, columns, extraColumns: _, idType, rehash, ...hashing } = options
  const { selection, parseRow } = createRowReader(options)
  const runOnConnection = createConnectionRunner(createKnexClient(knex))

  const find = async (
    operation: string,
    narrow: (query: Knex.QueryBuilder) => Knex.QueryBuilder<object, object[]>,
    call?: CallOptions,
  ): Promise<readonly StoredUser[]> => {
    const rows = await runOnConnection(call, (connection) =>
      narrow(knex(table).select(selection).where(where)).connection(connection),
    ).catch((error) => {
      throw isAuthError(error) ? error : toUsersError(operation, error, options)
    })
    return rows.map(parseRow)
  }

  const findWith = (column: string, values: readonly (string | number)[], options: CallOptions | undefined) =>
    find('look a user up', (query) => query.whereIn(column, values), options)

  const directory = passwordUsers({
    ...hashing,
    rehash: rehash ? { replaceHash: createHashReplacer(knex, options) } : undefined,
    findByUsername: (username, asSent, options) =>
      findByUsername((usernames) => findWith(columns.username, usernames, options), { canonical: username, asSent }),
    findById: async (id, options) => {
      // MySQL would compare a text column with a number as numbers: every text that does not start
      // with a digit equals 0.
      if (typeof id !== (idType === 'text' ? 'string' : 'number')) return undefined
      const users = await findWith(columns.id, [id], options)
      return users.find((user) => user.id === id)
    },
  })
  const check = async (): Promise<void> => {
    try {
      await find('use its table', (query) => query.limit(checkedUsers))
    } catch (error) {
      throw isAuthError(error) ? error.cause : error
    }
  }
  return { ...directory, check }
}

// Enough to find a column of the wrong type, and fast on a table of any size.
const checkedUsers = 100
