import { optionError, readBoolean, readFunction, readOptions, readText, setupError } from '@jwt-auth/core/internal'
import type { HashingOptions } from '@jwt-auth/passwords/internal'
import type { Knex } from 'knex'
import { defaultTable, readColumns, readExtraColumns, type UserColumns } from './user-columns.js'

/** The type of the ids of a table. */
export type IdColumnType = 'integer' | 'text'

/** The options of `knexUsers`. `Extra` has the members that `extraColumns` adds to a user. */
export interface KnexUsersOptions<Extra extends object = object, IdType extends IdColumnType = IdColumnType>
  extends HashingOptions {
  /** The name of your table of users. @default 'users' */
  readonly table?: string | undefined
  /**
   * Adds a condition to each query, with the query builder of knex, such as `(query) =>
   * query.whereNull('deleted_at')`. Rows without the condition are no users, and may have the name
   * of a user.
   *
   * @default all rows are users
   */
  readonly where?: Knex.QueryCallback | undefined
  /**
   * The names of its columns. If you set this option, `disabled`, `credentialVersion` and
   * `displayName` are read only if you name their columns.
   *
   * @default the columns of `createUsersTable`
   */
  readonly columns?: UserColumns | undefined
  /**
   * Further columns, which `claims` and your application receive as members of the user, such as `{
   * role: 'role' }`. The key is the name of the member, the value the name of the column.
   *
   * @default users have no further members
   */
  readonly extraColumns?: { readonly [Member in keyof Extra]: string } | undefined
  /**
   * The type of the ids in tokens and responses. `'integer'` also converts ids that the driver
   * returns as text, such as `bigint` on PostgreSQL. `'text'` also converts whole numbers. For
   * binary ids, name a column that holds them as text.
   *
   * @default 'integer'
   */
  readonly idType?: IdType | undefined
  /**
   * Whether a login replaces a hash of an old kind or of less work than configured
   * (docs/guide/users-and-passwords.md#hashes-of-another-system). Requires
   * `columns.credentialVersion`. `onError` of the service is called with each failure to replace a
   * hash.
   *
   * @default false
   */
  readonly rehash?: boolean | undefined
}

const keep = <T>(_name: string, value: T): T => value

const lostCondition =
  'option `where` of knexUsers returned another value; add the condition to the query, as (query) => query.whereNull(…) does.'

const readers = {
  table: (name: string, table: unknown = defaultTable) => readText(name, table, 'the name of your table of users'),
  where: (name: string, where: Knex.QueryCallback = () => {}) => {
    readFunction(name, where)
    return (query: Knex.QueryBuilder): void => {
      // The row would pass without a condition, such as one that an async function adds later.
      const result: unknown = where.call(query, query)
      if (result !== undefined && result !== query) throw setupError(lostCondition)
    }
  },
  columns: readColumns,
  extraColumns: readExtraColumns,
  idType: (name: string, idType: IdColumnType | undefined = 'integer'): IdColumnType => {
    if (idType === 'integer' || idType === 'text') return idType
    throw optionError(name, "'integer' or 'text'", idType)
  },
  rehash: readBoolean,
  // `passwordUsers` checks the options of hashing.
  cost: keep<HashingOptions['cost']>,
  hasher: keep<HashingOptions['hasher']>,
  legacyHashers: keep<HashingOptions['legacyHashers']>,
  queue: keep<HashingOptions['queue']>,
}

/**
 * Applies the defaults of the table and its columns. Checks the options that `passwordUsers` of
 * core does not check. Throws a `TypeError` that names the option.
 */
export const resolveKnexUsersOptions = (options: KnexUsersOptions) => {
  const read = readOptions('knexUsers', options, readers, { prefix: 'knexUsers.' })
  if (read.rehash && read.columns.credentialVersion === undefined) {
    // A version that is derived from the hash would change with the hash, and end all sessions of
    // the user.
    throw optionError('knexUsers.columns.credentialVersion', 'the name of a column where `rehash` is set', undefined)
  }
  return read
}

/** The options with the defaults of the table and its columns. */
export type ResolvedKnexUsersOptions = ReturnType<typeof resolveKnexUsersOptions>
