import { optionError } from '@jwt-auth/core'
import type { DialectName } from './dialect.js'

/** Where the sessions stand. */
export interface TableOptions {
  /** The table's name: letters, digits and `_`, at most 40. The migrations stand in a table of the same name with `_migrations` behind it. @default 'jwt_auth_sessions' */
  readonly table?: string | undefined
  /** The schema (on MySQL the database) the tables stand in. @default the connection's own */
  readonly schema?: string | undefined
}

/** The tables' names, quoted for use in SQL, and bare. */
export interface TableNames {
  readonly sessions: string
  readonly migrations: string
  /** The sessions' table without schema and quotes; indexes are named after it. */
  readonly bare: string
}

const identifier = /^[A-Za-z_][A-Za-z0-9_]{0,39}$/

/** Reads the options of a storage. Throws a `TypeError` for what is no plain identifier. */
export const readTableNames = ({ table, schema }: TableOptions, dialect: DialectName): TableNames => {
  const bare = readIdentifier('table', table) ?? 'jwt_auth_sessions'
  const prefix = readIdentifier('schema', schema)
  const quote = (name: string): string => (dialect === 'mysql' ? `\`${name}\`` : `"${name}"`)
  const qualify = (name: string): string => (prefix === undefined ? quote(name) : `${quote(prefix)}.${quote(name)}`)
  return { sessions: qualify(bare), migrations: qualify(`${bare}_migrations`), bare }
}

const readIdentifier = (name: string, value: unknown): string | undefined => {
  if (value === undefined || (typeof value === 'string' && identifier.test(value))) return value
  throw optionError(name, 'an identifier of letters, digits and _, at most 40', value)
}
