import { optionError, readOptions, readText, usageError } from '@jwt-auth/core/internal'

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
   * A column that marks users who may not log in. A user is disabled by `true`, 1, or a time, such
   * as that of a soft delete; not by `false`, 0 or null. `BIT(1)`, `bigint`, and these values as
   * text are read too. Each other value makes the login and `check` fail.
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

/** A table of users, for error messages and queries. */
export interface TableOfUsers {
  /** The name of the table. */
  readonly table: string
  /** The names of its columns, by member of a user. */
  readonly columns: ReturnType<typeof readColumns>
  /** The names of further columns, by member of a user. */
  readonly extraColumns: object
}

const readColumn = (name: string, column: unknown): string => readText(name, column, 'the name of a column')

const readOptionalColumn = (name: string, column: unknown): string | undefined =>
  column === undefined ? undefined : readColumn(name, column)

const columnReaders = {
  id: (name: string, column: unknown = defaultColumns.id) => readColumn(name, column),
  username: (name: string, column: unknown = defaultColumns.username) => readColumn(name, column),
  passwordHash: (name: string, column: unknown = defaultColumns.passwordHash) => readColumn(name, column),
  email: (name: string, column: unknown = defaultColumns.email) => readColumn(name, column),
  nicename: readOptionalColumn,
  displayName: readOptionalColumn,
  link: readOptionalColumn,
  disabled: (name: string, column: unknown) => {
    if (!/^(is_?)?(active|enabled)$/i.test(String(column))) return readOptionalColumn(name, column)
    // Only disabled users could log in.
    const fix = `write \`where: (query) => query.where({ ${column}: true })\` instead`
    throw usageError(name, `option \`${name}\` must mark users who may not log in; ${fix}.`)
  },
  credentialVersion: readOptionalColumn,
}

/** Reads the option `columns`. Throws a `TypeError` that names the member. */
export const readColumns = (name: string, columns: UserColumns = defaultColumns) =>
  readOptions(name, columns, columnReaders, {
    prefix: `${name}.`,
    // As a further column, a misspelled `disabled` would disable nobody.
    advice: 'To add a further column to your users, use the option `extraColumns`.',
  })

/**
 * Reads the option `extraColumns`. A member of a user must not replace another one, such as the
 * password hash.
 */
export const readExtraColumns = (name: string, extraColumns: object = {}): object => {
  if (typeof extraColumns !== 'object' || extraColumns === null) {
    throw optionError(name, "an object such as { role: 'role' }", extraColumns)
  }
  for (const [member, column] of Object.entries(extraColumns)) {
    if (Object.hasOwn(columnReaders, member) || !/^[A-Za-z]\w*$/.test(member)) {
      throw usageError(
        name,
        `${name} must not have \`${member}\`; use names of letters, digits and _ that start with a letter, and the option \`columns\` for ${Object.keys(columnReaders).join(', ')}.`,
      )
    }
    readColumn(`${name}.${member}`, column)
  }
  return extraColumns
}
