import type { Knex } from 'knex'

/** What the new applications need. */
export interface AppOptions {
  readonly database: Knex
  /** A new secret, for jwt-auth. */
  readonly secret: string
  /** The secret of the old application. */
  readonly oldSecret: string
  readonly now: () => number
}
