import type { SchemaVersions } from '@jwt-auth/core/adapter'
import type { DialectName } from './sql-executor.js'
import type { TableNames } from './table-names.js'

/** A step from one schema version to the next. */
export interface Migration extends SchemaVersions {
  /**
   * Returns the statements. On MySQL each statement must be repeatable, because MySQL commits each
   * change of the schema by itself. A statement that adds one column or one index is.
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
    write: ({ sessions, bare, limits }, dialect, collation) =>
      [
        { table: sessions, bare, columns: sessionColumns, indexes: sessionIndexes },
        { table: limits, bare: `${bare}_limits`, columns: limitColumns, indexes: { ends: 'ends_at' } },
      ].flatMap((table) => createTable(table, dialect, collation)),
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
  purgeable_at bigint not null,
  ended_at bigint,
  end_reason varchar(64),
  credential_version varchar(255),
  dpop_thumbprint varchar(64),
  user_agent varchar(512),
  ip_address varchar(64),
  last_user_agent varchar(512),
  last_ip_address varchar(64),
  label varchar(255),
  attributes varchar(1024)`

const sessionIndexes = {
  // `list` reads the rows of this index in their order. A login lists only sessions that have not
  // ended, and reads only their rows.
  user: 'issuer, user_id, ended_at, created_at',
  purgeable: 'purgeable_at',
}

// A row is a count of attempts in a window, or a mark.
const limitColumns = `
  id varchar(100) primary key,
  attempts integer not null,
  ends_at bigint not null`

interface Table {
  /** The name, quoted and with its schema. */
  readonly table: string
  /** The name without schema and quotes. The names of the indexes start with it. */
  readonly bare: string
  /** The definitions of the columns. */
  readonly columns: string
  /** The columns of each index, by the end of its name. */
  readonly indexes: Readonly<Record<string, string>>
}

/**
 * Returns the statements that create a table and its indexes. On MySQL that is one statement,
 * because MySQL commits each change of the schema by itself.
 *
 * @param collation on MySQL the collation that compares text byte for byte
 */
const createTable = ({ table, bare, columns, indexes }: Table, dialect: DialectName, collation: string) => {
  const names = Object.entries(indexes)
  if (dialect === 'mysql') {
    const keys = names.map(([suffix, on]) => `key ${bare}_${suffix} (${on})`).join(', ')
    return [`create table if not exists ${table} (${columns},\n  ${keys}) default charset utf8mb4 collate ${collation}`]
  }
  const toIndex = ([suffix, on]: readonly [string, string]): string => {
    const name = `"${bare}_${suffix}"`
    // SQLite expects the schema before the name of the index, PostgreSQL before the name of the
    // table.
    return dialect === 'postgresql'
      ? `create index ${name} on ${table} (${on})`
      : `create index ${table.replace(`"${bare}"`, name)} on "${bare}" (${on})`
  }
  // Free space in each page, so that PostgreSQL updates rows in place.
  const parameters = dialect === 'postgresql' ? ' with (fillfactor = 85)' : ''
  return [`create table ${table} (${columns})${parameters}`, ...names.map(toIndex)]
}
