import type { DialectName } from '../dialect.js'
import type { TableNames } from '../table-names.js'
import { createIndex } from './create-index.js'

// rate-limiter-flexible inserts by position: key, points, expire.
const columns = (key: string): string => `
  ${key} varchar(255) primary key,
  points integer not null default 0,
  expire bigint`

/** Returns the statements that create the table of rate-limit counts and its index. */
export const createLimits = (
  { limits, bareLimits }: TableNames,
  dialect: DialectName,
  collation: string,
): readonly string[] => {
  if (dialect === 'mysql') {
    return [
      `create table if not exists ${limits} (${columns('`key`')},\n  key ${bareLimits}_expire (expire)) default charset utf8mb4 collate ${collation}`,
    ]
  }
  return [
    `create table ${limits} (${columns('"key"')})`,
    createIndex(dialect, { table: limits, bare: bareLimits, suffix: 'expire', on: 'expire' }),
  ]
}
