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
  /** A column that marks users who may not log in: any value except false, 0, '0' and null. @default no user is disabled */
  readonly disabled?: string | undefined
  /**
   * A column that changes with the password: random text that is never reused (docs/decisions/0008).
   *
   * @default derived from the password hash
   */
  readonly credentialVersion?: string | undefined
}

/** The type of the ids of a table. */
export type IdColumnType = 'integer' | 'text'

/** The options of `knexUsers`. `Extra` has the members that `extraColumns` adds to a user. */
export interface KnexUsersOptions<Extra extends object = object, IdType extends IdColumnType = IdColumnType>
  extends HashingOptions {
  /** The name of your table of users. */
  readonly table: string
  /** The names of its columns. */
  readonly columns: UserColumns
  /**
   * Further columns, which `claims` and your application receive as members of the user, such as `{ role: 'role' }`. The key is the
   * name of the member, the value the name of the column. Values are as the driver returns them: SQLite returns 1 for true.
   *
   * @default users have no further members
   */
  readonly extraColumns?: { readonly [Member in keyof Extra]: string } | undefined
  /**
   * The type of the ids in tokens and responses. `'integer'` also converts ids that the driver returns as text, such as `bigint` on
   * PostgreSQL.
   *
   * @default 'integer'
   */
  readonly idType?: IdType | undefined
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
  extraColumns: true,
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
  const { table, columns, extraColumns = {}, idType, rehash } = options
  readText('knexUsers.table', table, 'the name of your table of users')
  for (const field of requiredColumns) readText(`knexUsers.columns.${field}`, columns?.[field], 'the name of a column')
  checkColumnNames(columns)
  checkExtraColumns(extraColumns)
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

const checkColumnNames = (columns: object): void => {
  const unknown = Object.keys(columns).find((name) => !isColumnName(name))
  if (unknown === undefined) return
  throw new TypeError(
    `jwt-auth: knexUsers.columns has no option \`${unknown}\`; known options: ${Object.keys(columnNames).join(', ')}. To add a further column to your users, use the option \`extraColumns\`, such as { ${unknown}: 'the name of the column' }.`,
  )
}

// A member of a user must not replace another one, such as the password hash.
const checkExtraColumns = (extraColumns: object): void => {
  if (typeof extraColumns !== 'object' || extraColumns === null) {
    throw optionError('knexUsers.extraColumns', "an object such as { role: 'role' }", extraColumns)
  }
  for (const [member, column] of Object.entries(extraColumns)) {
    if (isColumnName(member)) {
      throw new TypeError(
        `jwt-auth: knexUsers.extraColumns must not have \`${member}\`; name this column in the option \`columns\`.`,
      )
    }
    if (!/^[A-Za-z]\w*$/.test(member)) {
      throw new TypeError(
        'jwt-auth: the members of knexUsers.extraColumns must have names of letters, digits and _ that start with a letter.',
      )
    }
    readText(`knexUsers.extraColumns.${member}`, column, 'the name of a column')
  }
}

const isColumnName = (name: string): boolean => Object.hasOwn(columnNames, name)
