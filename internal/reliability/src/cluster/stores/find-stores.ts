import { type FreshDatabase, findDatabases, findRedis } from '@jwt-auth/test-support'
import { createRedisStore } from './redis-store.js'
import { openFreshStore, type Store } from './store.js'

/**
 * Returns SQLite, PostgreSQL, MariaDB and Redis. A store whose server does not listen at the address of the tests is returned as
 * missing.
 */
export const findStores = async (): Promise<readonly Store[]> => {
  const databases = await findDatabases()
  const redis = await findRedis()
  return [
    ...databases.map(({ createDatabase, ...database }) => ({
      ...database,
      create: async () => createDatabaseStore(await createDatabase()),
    })),
    { ...redis, create: () => createRedisStore(redis.url) },
  ]
}

const createDatabaseStore = async (database: FreshDatabase) => {
  const isSqlite = database.url.startsWith('sqlite:')
  const findDamage = async (): Promise<readonly string[]> => {
    const rows: readonly { readonly integrity_check: string }[] = await database.connect().raw('pragma integrity_check')
    return rows.map((row) => row.integrity_check).filter((line) => line !== 'ok')
  }
  const damageSession = async (sessionId: string, text: string): Promise<void> => {
    const update = 'update jwt_auth_sessions set recent_verifiers = ? where id = ?'
    await database.connect().raw(update, [text, sessionId])
  }
  return openFreshStore(database.url, {
    findDamage: isSqlite ? findDamage : async () => [],
    damageSession,
    remove: database.drop,
  })
}
