import type { DialectName } from '../dialect.js'
import type { TableNames } from '../table-names.js'

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
  const index = `"${bareLimits}_expire"`
  return [
    `create table ${limits} (${columns('"key"')})`,
    // SQLite names the schema of an index, PostgreSQL that of its table.
    dialect === 'postgresql'
      ? `create index ${index} on ${limits} (expire)`
      : `create index ${limits.replace(`"${bareLimits}"`, index)} on "${bareLimits}" (expire)`,
  ]
}
