import type { Row } from './sql-executor.js'

/** The column with all rows of a packed select. */
const packedRows = 'packed_rows'

/**
 * Returns a select for SQLite that returns all of its rows, in any order, as one JSON text. SQLite writes JSON faster than the drivers
 * create an object for each row.
 */
export const packRows = (columns: readonly string[], rest: string): string =>
  `select json_group_array(json_object(${columns.map((column) => `'${column}', ${column}`).join(', ')})) as ${packedRows} ${rest}`

/** Returns the rows of a result, whether they are packed or not. Throws a `TypeError` for a result without rows. */
export const unpackRows = (rows: unknown): readonly Row[] => {
  const packed = toRows(rows)[0]?.[packedRows]
  return typeof packed === 'string' ? toRows(JSON.parse(packed)) : toRows(rows)
}

const toRows = (rows: unknown): readonly Row[] => {
  if (Array.isArray(rows)) return rows
  throw new TypeError(
    'jwt-auth: the executor did not return the rows of the statement; `query` must resolve to `{ rows }`.',
  )
}
