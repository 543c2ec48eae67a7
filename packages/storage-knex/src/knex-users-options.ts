import type { HashingOptions, RehashOptions } from '@jwt-auth/core'
import { checkOptionNames, optionError, readText } from '@jwt-auth/core/adapter'

/** The names of the columns of your table of users. */
export interface UserColumns {
  /** The id of the user. Its type is the option `idType`. */
  readonly id: string
  /**
   * The name that users log in with. Unique. A user whose stored name is canonical, such as `ann`, logs in with every spelling of the
   * name. A user whose stored name is `Ann` logs in with `Ann` only. `canonicalUsername` of core returns the canonical form
   * (docs/decisions/0027).
   */
  readonly username: string
  /** The password hash. `null` for a user without a password. */
  readonly passwordHash: string
  /** The e-mail address. */
  readonly email: string
  /** The name of the user in URLs, such as `ann-roe`. @default the user name, percent-encoded */
  readonly nicename?: string | undefined
  /** The name of the user for display. @default the user name */
  readonly displayName?: string | undefined
  /** The URL of the user's page. @default users have no link */
  readonly link?: string | undefined
  /** A column that is true, or neither 0 nor null, for users who may not log in. @default no user is disabled */
  readonly disabled?: string | undefined
  /**
   * A column that changes with the password: random text that is never reused (docs/decisions/0008).
   *
   * @default derived from the password hash
   */
  readonly credentialVersion?: string | undefined
}

/** The options of `knexUsers`. */
export interface KnexUsersOptions extends HashingOptions {
  /** The name of your table of users. */
  readonly table: string
  /** The names of its columns. */
  readonly columns: UserColumns
  /**
   * The type of the ids in tokens and responses. `'integer'` also converts ids that the driver returns as text, such as `bigint` on
   * PostgreSQL.
   *
   * @default 'integer'
   */
  readonly idType?: 'integer' | 'text' | undefined
  /**
   * Whether a login replaces a hash of an old kind or of less work than configured (docs/decisions/0026). Requires
   * `columns.credentialVersion`, and every other program that reads the table must know the new kind. `onError` is called with each
   * failure to replace a hash.
   *
   * @default false
   */
  readonly rehash?: boolean | Pick<RehashOptions, 'onError'> | undefined
}

const optionNames: Readonly<Record<keyof KnexUsersOptions, true>> = {
  table: true,
  columns: true,
  idType: true,
  rehash: true,
  cost: true,
  hasher: true,
  legacyHashers: true,
  queue: true,
}

const requiredColumns = ['id', 'username', 'passwordHash', 'email'] as const

const columnNames: Readonly<Record<keyof UserColumns, true>> = {
  id: true,
  username: true,
  passwordHash: true,
  email: true,
  nicename: true,
  displayName: true,
  link: true,
  disabled: true,
  credentialVersion: true,
}

/** Checks the options that `passwordUsers` of core does not check. Throws a `TypeError` that names the option. */
export const checkKnexUsersOptions = (options: KnexUsersOptions): void => {
  checkOptionNames(options, optionNames, 'knexUsers')
  const { table, columns, idType, rehash } = options
  readText('knexUsers.table', table, 'the name of your table of users')
  for (const field of requiredColumns) readText(`knexUsers.columns.${field}`, columns?.[field], 'the name of a column')
  checkOptionNames(columns, columnNames, 'knexUsers.columns')
  if (idType !== undefined && idType !== 'integer' && idType !== 'text') {
    throw optionError('knexUsers.idType', "'integer' or 'text'", idType)
  }
  if (rehash !== undefined && typeof rehash !== 'boolean' && (typeof rehash !== 'object' || rehash === null)) {
    throw optionError('knexUsers.rehash', 'true, false or { onError }', rehash)
  }
  if (rehash && columns.credentialVersion === undefined) {
    // A version that is derived from the hash would change with the hash, and end all sessions of the user.
    throw optionError('knexUsers.columns.credentialVersion', 'the name of a column where `rehash` is set', undefined)
  }
}
