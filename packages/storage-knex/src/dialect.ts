import type { Knex } from 'knex'

/** The families of databases. MariaDB is of MySQL's. */
export type DialectName = 'sqlite' | 'postgresql' | 'mysql'

/** What differs between the drivers, and nothing else. */
export interface Dialect {
  readonly name: DialectName
  /** The rows of a raw `select`. */
  readonly readRows: (result: unknown) => readonly Row[]
  /** How many rows a raw `insert`, `update` or `delete` touched. */
  readonly readAffected: (result: unknown) => number
}

/** A row as a driver gives it. */
export type Row = Readonly<Record<string, unknown>>

const dialects: Readonly<Record<string, Dialect>> = {
  sqlite3: {
    name: 'sqlite',
    readRows: (result) => unpack(toRows(result)),
    readAffected: (result) => toCount(memberOf(result, 'changes')),
  },
  postgresql: {
    name: 'postgresql',
    readRows: (result) => toRows(memberOf(result, 'rows')),
    readAffected: (result) => toCount(memberOf(result, 'rowCount')),
  },
  mysql: {
    name: 'mysql',
    readRows: (result) => toRows(memberOf(result, 0)),
    readAffected: (result) => toCount(memberOf(memberOf(result, 0), 'affectedRows')),
  },
}

/** A member of a value of unknown shape; `undefined` when there is none. */
export const memberOf = (value: unknown, key: PropertyKey): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined

/** The dialect of a knex instance. Throws a `TypeError` for a database that is not supported. */
export const dialectOf = (knex: Knex): Dialect => {
  if (knex.client.driverName === 'sqlite3') {
    throw new TypeError(
      'jwt-auth: knexStorage needs to know how many rows a statement touched, and the driver sqlite3 does not say; use libsqlConfig(file) or better-sqlite3.',
    )
  }
  const name = String(knex.client.dialect)
  const dialect = dialects[name]
  if (dialect !== undefined) return dialect
  throw new TypeError(
    `jwt-auth: knexStorage works on SQLite, PostgreSQL, MySQL and MariaDB; received knex for ${name}.`,
  )
}

const toRows = (value: unknown): readonly Row[] => {
  if (Array.isArray(value)) return value
  throw new TypeError('the driver answered a select without rows')
}

/** The column that holds all rows of a {@link packRows packed} select. */
const packedRows = 'packed_rows'

/**
 * Writes a select for SQLite that answers all of its rows, in any order, as one JSON text: SQLite writes that faster than drivers
 * make objects of columns.
 */
export const packRows = (columns: readonly string[], rest: string): string =>
  `select json_group_array(json_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})) as ${packedRows} ${rest}`

const unpack = (rows: readonly Row[]): readonly Row[] => {
  const packed = rows[0]?.[packedRows]
  return typeof packed === 'string' ? toRows(JSON.parse(packed)) : rows
}

const toCount = (value: unknown): number => {
  if (typeof value === 'number') return value
  throw new TypeError('the driver did not say how many rows it touched')
}
