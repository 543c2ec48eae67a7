import type { SchemaVersions } from '@jwt-auth/core'
import type { DialectName } from '../dialect.js'
import type { TableNames } from '../table-names.js'
import { createLimits } from './create-limits.js'
import { createSessions } from './create-sessions.js'

/** A step from one schema version to the next. */
export interface Migration extends SchemaVersions {
  /**
   * Returns the statements. On MySQL each of them must be repeatable, because MySQL commits each by itself.
   *
   * @param collation on MySQL the one that compares text byte for byte
   */
  readonly write: (names: TableNames, dialect: DialectName, collation: string) => readonly string[]
}

/** All migrations, by ascending version. The rules for the next one are in docs/decisions/0034. */
export const migrations: readonly Migration[] = [
  {
    schemaVersion: 1,
    oldestCompatible: 1,
    write: (...table) => [...createSessions(...table), ...createLimits(...table)],
  },
]

/** The schema version that code with these migrations knows. */
export const knownVersion = (known: readonly Migration[]): number => known.at(-1)?.schemaVersion ?? 0
