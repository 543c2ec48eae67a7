import { type Limiter, type LimiterOptions, readSystem } from '@jwt-auth/core'
import type { Knex } from 'knex'
import { RateLimiterMySQL, RateLimiterPostgres, RateLimiterSQLite } from 'rate-limiter-flexible'
import { type DialectName, dialectOf } from './dialect.js'
import { toPostgresClient, toSqliteClient } from './limiter-clients.js'
import { retryConflicts } from './retry-conflicts.js'
import { toLimitsError } from './storage-error.js'
import { readTableNames, type TableNames, type TableOptions } from './table-names.js'

/**
 * Counts failed logins and failed token checks in the database that holds the sessions. All instances share the counts, and a
 * restart keeps them. `migrate()` of `knexStorage` creates the table, which has the name of the table of sessions with `_limits`
 * appended. rate-limiter-flexible does the counting, by the clock of the counting instance. Counts whose time ended an hour ago are
 * deleted while others are written.
 *
 * A count is one upsert. On MySQL and MariaDB it is a transaction of four statements.
 *
 * @param options the table's name and its schema, the same that `knexStorage` receives
 * @returns the value of the option `rateLimits.limiter`
 * @throws TypeError for a value that is not a knex instance, for a database that is not supported and for a wrong name
 *
 * @example
 * ```ts
 * jwtAuth({ secret, issuer, users, storage: knexStorage(knex), rateLimits: { limiter: knexLimits(knex) } })
 * ```
 */
export const knexLimits = (knex: Knex, options: TableOptions = {}): ((limiter: LimiterOptions) => Limiter) => {
  if (typeof knex?.raw !== 'function') throw new TypeError('jwt-auth: knexLimits must be given a knex instance.')
  const { name } = dialectOf(knex)
  const names = readTableNames(options, name)
  const { now } = readSystem(undefined)
  let writes = 0

  // Nothing depends on it, and the next one tries again.
  const deleteEnded = (): void => {
    knex.raw(`delete from ${names.limits} where expire < ?`, [now() - keptAfterEndMs]).catch(() => {})
  }

  return (limiterOptions) => {
    const store = createStoreLimiter[name](knex, names, limiterOptions)

    const write = <T>(send: () => Promise<T>): Promise<T> => {
      writes += 1
      if (writes % writesBetweenCleanUps === 0) deleteEnded()
      // Concurrent transactions of MySQL on one key may deadlock.
      return retryConflicts(send).catch(toFailure)
    }

    return {
      consume: (key, points) => write(() => store.consume(key, points)),
      reward: (key, points) => write(() => store.reward(key, points)),
      penalty: (key, points) => write(() => store.penalty(key, points)),
      get: (key) => store.get(key).catch(toFailure),
      set: (key, points, seconds) => write(() => store.set(key, points, seconds)),
    }
  }
}

// The clean-up of rate-limiter-flexible needs a timer for each limiter, and on SQLite its failure ends the process.
const writesBetweenCleanUps = 100
const keptAfterEndMs = 60 * 60 * 1000

type CreateStoreLimiter = (knex: Knex, names: TableNames, options: LimiterOptions) => Limiter

const createStoreLimiter: Readonly<Record<DialectName, CreateStoreLimiter>> = {
  postgresql: (knex, { bareLimits, schema }, options) =>
    new RateLimiterPostgres({
      ...options,
      ...tableOf(bareLimits),
      ...(schema !== undefined && { schemaName: schema }),
      storeClient: toPostgresClient(knex),
    }),
  mysql: (knex, { bareLimits, schema }, options) =>
    new RateLimiterMySQL({
      ...options,
      ...tableOf(bareLimits),
      dbName: schema ?? knex.client.database(),
      storeClient: knex,
    }),
  sqlite: (knex, { bareLimits, limits }, options) =>
    new RateLimiterSQLite({
      ...options,
      ...tableOf(bareLimits),
      storeClient: toSqliteClient(knex, { bare: bareLimits, qualified: limits }),
    }),
}

const tableOf = (tableName: string) => ({
  tableName,
  tableCreated: true,
  storeType: 'knex',
  clearExpiredByTimeout: false,
})

// A refusal is the state of the key, and no error.
const toFailure = (thrown: unknown): never => {
  throw thrown instanceof Error ? toLimitsError(thrown) : thrown
}
