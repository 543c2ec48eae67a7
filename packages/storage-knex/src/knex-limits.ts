import type { Limiter, LimiterOptions } from '@jwt-auth/core'
import { checkOptionNames, readSystem } from '@jwt-auth/core/adapter'
import type { DialectName, TableOptions } from '@jwt-auth/storage-sql'
import {
  adviseOnSchema,
  parseTableNames,
  retryConflicts,
  type TableNames,
  toErrorWithCode,
} from '@jwt-auth/storage-sql/executor'
import type { Knex } from 'knex'
import { RateLimiterMySQL, RateLimiterPostgres, RateLimiterSQLite } from 'rate-limiter-flexible'
import { requireKnex, toDialect } from './dialect.js'
import { toPostgresClient, toSqliteClient } from './limiter-clients.js'

/**
 * Counts failed logins and failed token checks in the database of the sessions. All instances share the counts, and the counts
 * survive a restart. `migrate()` of `knexStorage` creates the table, which has the name of the table of sessions with `_limits`
 * appended. The library rate-limiter-flexible does the counting, with the clock of the instance. Counts that expired more than an
 * hour ago are deleted at every hundredth write.
 *
 * Each count is one upsert. On MySQL and MariaDB, each count is a transaction of four statements. A call that fails rejects with
 * an `Error` that has the code of the driver or of the database.
 *
 * @param options the same `table` and `schema` that `knexStorage` receives
 * @returns the value of the option `rateLimits.limiter`
 * @throws TypeError for a value that is not a knex instance, for a database that is not supported, and for a wrong or unknown
 * option
 *
 * @example
 * ```ts
 * jwtAuth({ secret, issuer, users, storage: knexStorage(knex), rateLimits: { limiter: knexLimits(knex) } })
 * ```
 */
export const knexLimits = (knex: Knex, options: TableOptions = {}): ((limiter: LimiterOptions) => Limiter) => {
  requireKnex('knexLimits', knex)
  checkOptionNames(options, optionNames, 'knexLimits')
  const name = toDialect(knex)
  const names = parseTableNames(options, name)
  const { now } = readSystem(undefined)
  let writes = 0

  // A failure has no effect: a later clean-up deletes the same rows.
  const deleteExpired = (): void => {
    knex.raw(`delete from ${names.limits} where expire < ?`, [now() - keptAfterExpiryMs]).catch(() => {})
  }

  return (limiterOptions) => {
    const store = createStoreLimiter[name](knex, names, limiterOptions)

    const write = <T>(send: () => Promise<T>): Promise<T> => {
      writes += 1
      if (writes % writesBetweenCleanUps === 0) deleteExpired()
      // Concurrent transactions of MySQL on one key can deadlock.
      return retryConflicts(send).catch(rethrow)
    }

    return {
      consume: (key, points) => write(() => store.consume(key, points)),
      reward: (key, points) => write(() => store.reward(key, points)),
      penalty: (key, points) => write(() => store.penalty(key, points)),
      get: (key) => store.get(key).catch(rethrow),
      set: (key, points, seconds) => write(() => store.set(key, points, seconds)),
    }
  }
}

const optionNames: Readonly<Record<keyof TableOptions, true>> = { table: true, schema: true }

// The clean-up of rate-limiter-flexible needs a timer for each limiter, and on SQLite its failure ends the process.
const writesBetweenCleanUps = 100
const keptAfterExpiryMs = 60 * 60 * 1000

type CreateStoreLimiter = (knex: Knex, names: TableNames, options: LimiterOptions) => Limiter

const createStoreLimiter: Readonly<Record<DialectName, CreateStoreLimiter>> = {
  postgresql: (knex, { bareLimits, schema }, options) =>
    new RateLimiterPostgres({
      ...options,
      ...toTableOptions(bareLimits),
      ...(schema !== undefined && { schemaName: schema }),
      storeClient: toPostgresClient(knex),
    }),
  mysql: (knex, { bareLimits, schema }, options) =>
    new RateLimiterMySQL({
      ...options,
      ...toTableOptions(bareLimits),
      dbName: schema ?? knex.client.database(),
      storeClient: knex,
    }),
  sqlite: (knex, { bareLimits, limits }, options) =>
    new RateLimiterSQLite({
      ...options,
      ...toTableOptions(bareLimits),
      storeClient: toSqliteClient(knex, { bare: bareLimits, qualified: limits }),
    }),
}

const toTableOptions = (tableName: string) => ({
  tableName,
  tableCreated: true,
  storeType: 'knex',
  clearExpiredByTimeout: false,
})

// A limiter that refuses rejects with the state of the key, which is not an error.
const rethrow = (thrown: unknown): never => {
  if (!(thrown instanceof Error)) throw thrown
  const advice = adviseOnSchema(thrown, 'the table of limits', 'call migrate() of knexStorage')
  throw toErrorWithCode('knexLimits could not count', thrown, advice)
}
