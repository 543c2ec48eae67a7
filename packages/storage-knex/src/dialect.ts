import type { Knex } from 'knex'

/** The families of databases. MariaDB belongs to `mysql`. */
export type DialectName = 'sqlite' | 'postgresql' | 'mysql'

/** The differences between the results of the drivers. */
export interface Dialect {
  readonly name: DialectName
  /** Returns the rows in the result of a raw `select`. Throws a `TypeError` for a result without rows. */
  readonly parseRows: (result: unknown) => readonly Row[]
  /** Returns how many rows a raw `insert`, `update` or `delete` changed. Throws a `TypeError` for a result without this number. */
  readonly parseChangedCount: (result: unknown) => number
}

/** A row as the driver returns it. */
export type Row = Readonly<Record<string, unknown>>

const dialects: Readonly<Record<string, Dialect>> = {
  sqlite3: {
    name: 'sqlite',
    parseRows: (result) => unpack(toRows(result)),
    parseChangedCount: (result) => toCount(getMember(result, 'changes')),
  },
  postgresql: {
    name: 'postgresql',
    parseRows: (result) => toRows(getMember(result, 'rows')),
    parseChangedCount: (result) => toCount(getMember(result, 'rowCount')),
  },
  mysql: {
    name: 'mysql',
    parseRows: (result) => toRows(getMember(result, 0)),
    parseChangedCount: (result) => toCount(getMember(getMember(result, 0), 'affectedRows')),
  },
}

/** Returns a member of a value of unknown shape, or `undefined` without this member. */
export const getMember = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined

/** Returns the dialect of a knex instance. Throws a `TypeError` for a database that is not supported. */
export const toDialect = (knex: Knex): Dialect => {
  if (knex.client.driverName === 'sqlite3') {
    throw new TypeError(
      'jwt-auth: the driver sqlite3 does not report how many rows a statement changed; use libsqlConfig(file) or better-sqlite3.',
    )
  }
  const name = String(knex.client.dialect)
  const dialect = dialects[name]
  if (dialect !== undefined) return dialect
  throw new TypeError(
    `jwt-auth: the supported databases are SQLite, PostgreSQL, MySQL and MariaDB; received knex for ${name}.`,
  )
}

const toRows = (value: unknown): readonly Row[] => {
  if (Array.isArray(value)) return value
  throw new TypeError('the driver returned no rows for a select')
}

/** The column with all rows of a packed select. */
const packedRows = 'packed_rows'

/**
 * Returns a select for SQLite that returns all of its rows, in any order, as one JSON text. SQLite writes JSON faster than the drivers
 * create an object for each row.
 */
export const packRows = (columns: readonly string[], rest: string): string =>
  `select json_group_array(json_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})) as ${packedRows} ${rest}`

const unpack = (rows: readonly Row[]): readonly Row[] => {
  const packed = rows[0]?.[packedRows]
  return typeof packed === 'string' ? toRows(JSON.parse(packed)) : rows
}

const toCount = (value: unknown): number => {
  if (typeof value === 'number') return value
  throw new TypeError('the driver did not return how many rows the statement changed')
}
