import { type FreshDatabase, findDatabases, isListening } from '@jwt-auth/test-support'
import { createRedisStore } from './redis-store.js'
import { openFreshStore, type Store } from './store.js'

const standardRedisUrl = 'redis://127.0.0.1:6379'

/**
 * SQLite, and the PostgreSQL, MariaDB and Redis that a variable names or that listen at their standard ports. Says in one line
 * what is left out; in CI nothing may be.
 */
export const findStores = async (): Promise<readonly Store[]> => {
  const databases = await findDatabases()
  return [
    ...databases.map(({ name, createDatabase }) => ({
      name,
      create: async () => createDatabaseStore(await createDatabase()),
    })),
    ...(await findRedis()),
  ]
}

const createDatabaseStore = async (database: FreshDatabase) => {
  const isSqlite = database.url.startsWith('sqlite:')
  const findDamage = async (): Promise<readonly string[]> => {
    const rows: readonly { readonly integrity_check: string }[] = await database.connect().raw('pragma integrity_check')
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok')
  }
  return openFreshStore(database.url, { findDamage: isSqlite ? findDamage : async () => [], remove: database.drop })
}

const findRedis = async (): Promise<readonly Store[]> => {
  const given = process.env['TEST_REDIS_URL']
  const url = new URL(given ?? standardRedisUrl)
  if (given !== undefined || (await isListening(url))) return [{ name: 'Redis', create: () => createRedisStore(url) }]
  const message = `Redis is not tested: nothing listens at ${url.host}, and TEST_REDIS_URL names no other.`
  if (process.env['CI'] !== undefined) throw new Error(message)
  process.stderr.write(`${message}\n`)
  return []
}
