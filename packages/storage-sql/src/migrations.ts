import type { SchemaVersions } from '@jwt-auth/core'
import type { DialectName } from './sql-executor.js'
import type { TableNames } from './table-names.js'

/** A step from one schema version to the next. */
export interface Migration extends SchemaVersions {
  /**
   * Returns the statements. On MySQL each statement must be repeatable, because MySQL commits each
   * change of the schema by itself.
   *
   * @param collation on MySQL the collation that compares text byte for byte
   */
  readonly write: (names: TableNames, dialect: DialectName, collation: string) => readonly string[]
}

/**
 * All migrations, by ascending version. docs/design/sql.md has the rules for the next one: a
 * published migration never changes, and a migration only adds.
 *
 * @example
 * ```ts
 * {
 *   schemaVersion: 2,
 *   oldestCompatible: 1,
 *   write: ({ sessions }) => [`alter table ${sessions} add column country varchar(2)`],
 * }
 * ```
 */
export const migrations: readonly Migration[] = [
  {
    schemaVersion: 1,
    oldestCompatible: 1,
    write: (...table) => [...createSessions(...table), ...createLimits(...table)],
  },
]

/** Returns the newest schema version of the migrations, and 0 without migrations. */
export const toKnownVersion = (known: readonly Migration[]): number => known.at(-1)?.schemaVersion ?? 0

const sessionColumns = `
  id varchar(64) primary key,
  issuer varchar(200) not null,
  user_id varchar(512) not null,
  selector_hash varchar(64) not null unique,
  verifier_hash varchar(64) not null,
  recent_verifiers text not null,
  created_at bigint not null,
  rotated_at bigint not null,
  last_used_at bigint not null,
  idle_expires_at bigint not null,
  absolute_expires_at bigint not null,
  expires_at bigint not null,
  clearable_at bigint,
  ended_at bigint,
  end_reason varchar(64),
  credential_version varchar(255),
  user_agent varchar(512),
  ip_address varchar(64),
  last_user_agent varchar(512),
  last_ip_address varchar(64),
  label varchar(255)`

// `list` reads the rows of this index in their order. A login lists only sessions that have not
// ended, and reads only their rows.
const userColumns = 'issuer, user_id, ended_at, created_at'

/**
 * Returns the statements that create the table of sessions and its indexes. On MySQL that is one
 * statement, because MySQL commits each change of the schema by itself.
 *
 * @param collation on MySQL the collation that compares text byte for byte
 */
const createSessions = ({ sessions, bare }: TableNames, dialect: DialectName, collation: string): readonly string[] => {
  if (dialect === 'mysql') {
    const keys = `key ${bare}_user (${userColumns}), key ${bare}_expires (expires_at), key ${bare}_clearable (clearable_at)`
    return [
      `create table if not exists ${sessions} (${sessionColumns},\n  ${keys}) default charset utf8mb4 collate ${collation}`,
    ]
  }
  return [
    `create table ${sessions} (${sessionColumns})`,
    createIndex(dialect, { table: sessions, bare, suffix: 'user', on: userColumns }),
    createIndex(dialect, { table: sessions, bare, suffix: 'expires', on: 'expires_at' }),
    createIndex(dialect, { table: sessions, bare, suffix: 'clearable', on: 'clearable_at' }),
  ]
}

// A row is a count of attempts in a window, or a mark.
const limitColumns = `
  id varchar(100) primary key,
  attempts integer not null,
  ends_at bigint not null`

/**
 * Returns the statements that create the table of rate-limit counts and its index. On MySQL that is
 * one statement.
 */
const createLimits = (
  { limits, bareLimits }: TableNames,
  dialect: DialectName,
  collation: string,
): readonly string[] => {
  if (dialect === 'mysql') {
    return [
      `create table if not exists ${limits} (${limitColumns},\n  key ${bareLimits}_ends (ends_at)) default charset utf8mb4 collate ${collation}`,
    ]
  }
  return [
    `create table ${limits} (${limitColumns})`,
    createIndex(dialect, { table: limits, bare: bareLimits, suffix: 'ends', on: 'ends_at' }),
  ]
}

interface Index {
  /** The table's name, quoted and with its schema. */
  readonly table: string
  /** The table's name without schema and quotes. The name of the index starts with it. */
  readonly bare: string
  /** The end of the name of the index. */
  readonly suffix: string
  /** The columns, separated by commas. */
  readonly on: string
}

const createIndex = (dialect: DialectName, { table, bare, suffix, on }: Index): string => {
  const name = `"${bare}_${suffix}"`
  // SQLite expects the schema before the name of the index, PostgreSQL before the name of the
  // table.
  if (dialect === 'postgresql') return `create index ${name} on ${table} (${on})`
  return `create index ${table.replace(`"${bare}"`, name)} on "${bare}" (${on})`
}
