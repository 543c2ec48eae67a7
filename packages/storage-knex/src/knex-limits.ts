import type { Limiter } from '@jwt-auth/core'
import { sqlLimits, type TableOptions } from '@jwt-auth/storage-sql'
import type { Knex } from 'knex'
import { requireKnex } from './dialect.js'
import { knexExecutor } from './knex-executor.js'

/**
 * Counts failed logins and failed token checks in the database of the sessions. The same as
 * {@link sqlLimits} over a knex instance: all instances share the counts, the counts survive a
 * restart, and `migrate()` of `knexStorage` creates the table.
 *
 * @param options the same `table` and `schema` that `knexStorage` receives
 * @returns the value of the option `rateLimits.limiter`
 * @throws TypeError for a value that is not a knex instance, for a database that is not supported,
 * and for a wrong or unknown option
 *
 * @example
 * ```ts
 * const rateLimits = { limiter: knexLimits(knex) }
 * jwtAuth({ secret, issuer, users, storage: knexStorage(knex), rateLimits })
 * ```
 */
export const knexLimits = (knex: Knex, options: TableOptions = {}): Limiter => {
  requireKnex('knexLimits', knex)
  return sqlLimits(knexExecutor(knex, false), options)
}
