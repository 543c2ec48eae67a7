import { findClosestName, optionError, readText, usageError } from '@jwt-auth/core/adapter'

/** The names of the columns of your table of users. */
export interface UserColumns {
  /** The id of the user. Its type is the option `idType`. @default 'id' */
  readonly id?: string | undefined
  /**
   * The name that users log in with. Unique. A user whose stored name is canonical, such as `ann`,
   * logs in with every spelling of the name. A user whose stored name is `Ann` logs in with `Ann`
   * only. `canonicalUsername` returns the canonical form (docs/design/users.md).
   * @default 'username'
   */
  readonly username?: string | undefined
  /** The password hash. `null` for a user without a password. @default 'password_hash' */
  readonly passwordHash?: string | undefined
  /** The e-mail address. @default 'email' */
  readonly email?: string | undefined
  /** The name of the user in URLs, such as `ann-roe`. @default the user name, percent-encoded */
  readonly nicename?: string | undefined
  /** The name of the user for display. @default the user name */
  readonly displayName?: string | undefined
  /** The URL of the user's page. @default users have no link */
  readonly link?: string | undefined
  /**
   * A column that marks users who may not log in: any value except false, 0, '0' and null.
   * @default no user is disabled
   */
  readonly disabled?: string | undefined
  /**
   * A column that changes with the password: random text that is never reused
   * (docs/guide/sessions.md).
   *
   * @default derived from the password hash
   */
  readonly credentialVersion?: string | undefined
}

/** The name of the table of a new application. */
export const defaultTable = 'users'

/** The columns of the table of a new application. */
export const defaultColumns = {
  id: 'id',
  username: 'username',
  passwordHash: 'password_hash',
  email: 'email',
  displayName: 'display_name',
  disabled: 'disabled',
  credentialVersion: 'credential_version',
} as const satisfies UserColumns

type RequiredColumn = 'id' | 'username' | 'passwordHash' | 'email'

/** The columns with the defaults of those that every table has. */
export type ResolvedColumns = UserColumns & { readonly [Field in RequiredColumn]: string }

/** A table of users, for error messages and queries. */
export interface TableOfUsers {
  /** The name of the table. */
  readonly table: string
  /** The names of its columns, by member of a user. */
  readonly columns: ResolvedColumns
  /** The names of further columns, by member of a user. */
  readonly extraColumns?: object | undefined
}

const columnNames: Readonly<Record<keyof UserColumns, unknown>> = { ...defaultColumns, nicename: true, link: true }

/** Reads the option `columns`. Throws a `TypeError` that names the member. */
export const readColumns = (columns: UserColumns = defaultColumns): ResolvedColumns => {
  if (typeof columns !== 'object' || columns === null || Array.isArray(columns)) {
    const example = "{ id: 'id', username: 'login', passwordHash: 'hash', email: 'email' }"
    throw optionError('knexUsers.columns', `an object such as ${example}`, columns)
  }
  const unknown = Object.keys(columns).find((name) => !isColumnName(name))
  if (unknown !== undefined) throw explainUnknown(unknown)
  const read = (field: RequiredColumn): string =>
    readText(`knexUsers.columns.${field}`, columns[field] ?? defaultColumns[field], 'the name of a column')
  return {
    ...columns,
    id: read('id'),
    username: read('username'),
    passwordHash: read('passwordHash'),
    email: read('email'),
  }
}

const explainUnknown = (unknown: string): TypeError => {
  const names = Object.keys(columnNames)
  const closest = findClosestName(unknown, names)
  // As a further column, a misspelled `disabled` would disable nobody.
  const advice =
    closest === undefined
      ? `To add a further column to your users, use the option \`extraColumns\`, such as { ${unknown}: 'the name of the column' }.`
      : `Did you mean \`${closest}\`?`
  return usageError(
    'knexUsers',
    `knexUsers.columns has no option \`${unknown}\`; known options: ${names.join(', ')}. ${advice}`,
  )
}

/**
 * Checks the option `extraColumns`. A member of a user must not replace another one, such as the
 * password hash.
 */
export const checkExtraColumns = (extraColumns: object): void => {
  if (typeof extraColumns !== 'object' || extraColumns === null || Array.isArray(extraColumns)) {
    throw optionError('knexUsers.extraColumns', "an object such as { role: 'role' }", extraColumns)
  }
  for (const [member, column] of Object.entries(extraColumns)) {
    if (isColumnName(member)) {
      throw usageError(
        'knexUsers',
        `knexUsers.extraColumns must not have \`${member}\`; name this column in the option \`columns\`.`,
      )
    }
    if (!/^[A-Za-z]\w*$/.test(member)) {
      throw usageError(
        'knexUsers',
        'the members of knexUsers.extraColumns must have names of letters, digits and _ that start with a letter.',
      )
    }
    readText(`knexUsers.extraColumns.${member}`, column, 'the name of a column')
  }
}

const isColumnName = (name: string): boolean => Object.hasOwn(columnNames, name)
