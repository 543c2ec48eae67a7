import type { SchemaVersions } from '@jwt-auth/core'
import type { DialectName } from '../sql-executor.js'
import type { TableNames } from '../table-names.js'
import { createLimits, createSessions } from './create-tables.js'

/** A step from one schema version to the next. */
export interface Migration extends SchemaVersions {
  /**
   * Returns the statements. On MySQL each statement must be repeatable, because MySQL commits each change of the schema by itself.
   *
   * @param collation on MySQL the collation that compares text byte for byte
   */
  readonly write: (names: TableNames, dialect: DialectName, collation: string) => readonly string[]
}

/**
 * All migrations, by ascending version. docs/design/sql.md has the rules for the next one: a published migration never changes, and a
 * migration only adds.
 *
 * @example
 * ```ts
 * { schemaVersion: 2, oldestCompatible: 1, write: ({ sessions }) => [`alter table ${sessions} add column country varchar(2)`] }
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
