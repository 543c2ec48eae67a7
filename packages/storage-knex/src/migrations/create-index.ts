import type { DialectName } from '../dialect.js'

/** An index of a table. */
export interface Index {
  /** The table's name, quoted and with its schema. */
  readonly table: string
  /** The table's name without schema and quotes. The index is named after it. */
  readonly bare: string
  readonly suffix: string
  /** The columns. */
  readonly on: string
}

/** Returns the statement that creates an index on SQLite or PostgreSQL. */
export const createIndex = (dialect: DialectName, { table, bare, suffix, on }: Index): string => {
  const name = `"${bare}_${suffix}"`
  // SQLite names the schema of an index, PostgreSQL that of its table.
  if (dialect === 'postgresql') return `create index ${name} on ${table} (${on})`
  return `create index ${table.replace(`"${bare}"`, name)} on "${bare}" (${on})`
}
