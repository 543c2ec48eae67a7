import { optionError } from '@jwt-auth/core'
import type { DialectName } from './dialect.js'

/** The tables of sessions and of rate-limit counts. */
export interface TableOptions {
  /**
   * The name of the table of sessions: at most 40 letters, digits and `_`. The other tables have the same name with `_limits` and
   * `_migrations` appended.
   *
   * @default 'jwt_auth_sessions'
   */
  readonly table?: string | undefined
  /** The schema of the tables (on MySQL the database). @default the schema of the connection */
  readonly schema?: string | undefined
}

/** The names of the tables, quoted for use in SQL, and bare. */
export interface TableNames {
  readonly sessions: string
  readonly limits: string
  readonly migrations: string
  /** The name of the table of sessions without schema and quotes. Its indexes are named after it. */
  readonly bare: string
  /** The name of the table of rate-limit counts without schema and quotes. */
  readonly bareLimits: string
  /** The schema of all tables; `undefined` for the schema of the connection. */
  readonly schema: string | undefined
}

const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/

/** Reads the options of a storage. Throws a `TypeError` for what is no plain identifier. */
export const readTableNames = ({ table, schema }: TableOptions, dialect: DialectName): TableNames => {
  const bare = readIdentifier('table', table) ?? 'jwt_auth_sessions'
  const bareLimits = `${bare}_limits`
  const prefix = readIdentifier('schema', schema)
  const quote = (name: string): string => (dialect === 'mysql' ? `\`${name}\`` : `"${name}"`)
  const qualify = (name: string): string => (prefix === undefined ? quote(name) : `${quote(prefix)}.${quote(name)}`)
  return {
    sessions: qualify(bare),
    limits: qualify(bareLimits),
    migrations: qualify(`${bare}_migrations`),
    bare,
    bareLimits,
    schema: prefix,
  }
}

const readIdentifier = (name: string, value: unknown): string | undefined => {
  if (value === undefined || (typeof value === 'string' && identifier.test(value))) return value
  throw optionError(name, 'an identifier of letters, digits and _, at most 40', value)
}
