import type { CliConfig } from '@jwt-auth/cli'
import type { RateLimitOptions, SessionStorage } from '@jwt-auth/express'
import { knexLimits, knexStorage } from '@jwt-auth/storage-knex'
import { memoryStorage } from '@jwt-auth/storage-memory'
import type { Knex } from 'knex'
import { type Accounts, createAccounts } from './accounts.js'
import { openDatabase, withoutPassword } from './database.js'
import { defaultDatabaseUrl, type HostEnvironment } from './environment.js'
import { toStartError } from './start-error.js'

/** The stores of users, sessions and rate-limit counts. */
export interface Stores {
  /** The users. */
  readonly accounts: Accounts
  /** The sessions. */
  readonly storage: SessionStorage
  /** Counts attempts in the database of the sessions. `undefined` if sessions are in memory: attempts are then counted in memory too. */
  readonly limiter: RateLimitOptions['limiter']
  /** How the command line of jwt-auth reads the settings of the database of the sessions. */
  readonly inspection: Pick<CliConfig, 'runSql' | 'runRedis'>
  /** Closes all connections. */
  readonly close: () => Promise<void>
}

/** Opens the database of `DATABASE_URL` and creates the tables. Throws a `StartError` that names the variable. */
export const openStores = async ({ databaseUrl, bcryptCost }: HostEnvironment): Promise<Stores> => {
  const usersUrl = toUsersUrl(databaseUrl)
  const knex = await explainFailure(usersUrl, async () => openDatabase(usersUrl))
  try {
    const accounts = createAccounts(knex, bcryptCost)
    await explainFailure(usersUrl, accounts.setUp)
    const sessions = await explainFailure(databaseUrl, () => openSessions(databaseUrl, knex))
    return {
      accounts,
      storage: sessions.storage,
      limiter: sessions.limiter,
      inspection: sessions.inspection,
      close: async () => {
        sessions.close()
        await knex.destroy()
      },
    }
  } catch (error) {
    await knex.destroy()
    throw error
  }
}

/** Returns the lines that name the databases of users and sessions, without a password. */
export const describeStores = (databaseUrl: string): string =>
  isRedisUrl(databaseUrl)
    ? `sessions: ${withoutPassword(databaseUrl)}\nusers: ${toUsersUrl(databaseUrl)}`
    : `users and sessions: ${withoutPassword(databaseUrl)}`

/** Returns whether users and sessions end with the process. */
export const keepsNothing = (databaseUrl: string): boolean =>
  databaseUrl === 'memory:' || databaseUrl === 'sqlite::memory:'

const isRedisUrl = (url: string): boolean => /^rediss?:/.test(url)

// Redis has no tables, so users are in the SQLite file. They survive a restart like their sessions in Redis.
const toUsersUrl = (databaseUrl: string): string => (isRedisUrl(databaseUrl) ? defaultDatabaseUrl : databaseUrl)

interface Sessions extends Pick<Stores, 'storage' | 'limiter' | 'inspection'> {
  /** Closes the connection that only the sessions use. */
  readonly close: () => void
}

const openSessions = async (databaseUrl: string, knex: Knex): Promise<Sessions> => {
  if (isRedisUrl(databaseUrl)) {
    // Loads the client of Redis only when it is needed.
    const { openRedis } = await import('./redis.js')
    return openRedis(databaseUrl)
  }
  if (databaseUrl === 'memory:')
    return { storage: memoryStorage(), limiter: undefined, inspection: {}, close: () => {} }
  const storage = knexStorage(knex)
  await storage.migrate()
  return { storage, limiter: knexLimits(knex), inspection: { runSql: (sql) => knex.raw(sql) }, close: () => {} }
}

const explainFailure = async <T>(url: string, open: () => Promise<T>): Promise<T> => {
  try {
    return await open()
  } catch (error) {
    throw toStartError(`cannot use the database ${withoutPassword(url)} (DATABASE_URL)`, error)
  }
}
