import { optionError, readOptions } from '@jwt-auth/core/internal'
import type { DialectName } from './sql-executor.js'

/** The names of the tables. */
export interface TableOptions {
  /**
   * The name of the table of sessions: 1 to 40 letters, digits and `_`, not starting with a digit.
   * The other tables have this name with `_limits` and `_migrations` appended.
   *
   * @default 'jwt_auth_sessions'
   */
  readonly table?: string | undefined
  /**
   * The schema of the tables, on MySQL and MariaDB the database: a name as for `table`.
   *
   * @default the schema of the connection
   */
  readonly schema?: string | undefined
}

/**
 * The names of the tables. Names are quoted and have the schema unless the comment says otherwise.
 */
export interface TableNames {
  /** The table of sessions. */
  readonly sessions: string
  /** The table of rate-limit counts. */
  readonly limits: string
  /** The table with one row for each migration that ran. */
  readonly migrations: string
  /**
   * The name of the table of sessions without schema and quotes. The names of its indexes start
   * with it.
   */
  readonly bare: string
  /** The name of the schema without quotes. `undefined` for the schema of the connection. */
  readonly schema: string | undefined
}

/**
 * Reads the options of `sqlStorage`, and returns the names of the tables. Throws a `TypeError` that
 * names the option when a name is not a plain identifier.
 */
export const readTableNames = (options: TableOptions, dialect: DialectName): TableNames => {
  const { table: bare = 'jwt_auth_sessions', schema } = readOptions('sqlStorage', options, readers)
  const quote = (name: string): string => (dialect === 'mysql' ? `\`${name}\`` : `"${name}"`)
  const qualify = (name: string): string => (schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`)
  return {
    sessions: qualify(bare),
    limits: qualify(`${bare}_limits`),
    migrations: qualify(`${bare}_migrations`),
    bare,
    schema,
  }
}

/** Reads the name of a table or a schema. `undefined` stays `undefined`. */
export const readIdentifier = <T extends string | undefined>(name: string, value: T): T => {
  if (value === undefined || (typeof value === 'string' && /^[A-Za-z_]\w{0,39}$/.test(value))) return value
  throw optionError(name, 'an identifier of letters, digits and _, at most 40', value)
}

const readers = { table: readIdentifier, schema: readIdentifier }
