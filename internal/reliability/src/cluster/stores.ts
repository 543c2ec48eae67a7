import { randomUUID } from 'node:crypto'
import { findDatabases, findRedis, openAll, type Prerequisite } from '@jwt-auth/test-support'
import { createClient } from 'redis'
import { openStorage } from './instance/open-storage.js'

/** A kind of store that instances share. A store of a missing kind cannot be created. */
export interface Store extends Prerequisite {
  readonly name: 'SQLite' | 'PostgreSQL' | 'MariaDB' | 'Redis'
  readonly create: () => Promise<FreshStore>
}

/**
 * A new, empty store: its URL for the setting `storageUrl` of an instance, and the same store without
 * an instance. `close` removes it.
 */
export type FreshStore = Awaited<ReturnType<typeof openStore>>

/** Opens a new store and creates its tables. `remove` removes it. */
const openStore = (url: string, remove: () => Promise<void>) =>
  openAll(async (keep) => {
    keep(remove)
    const { storage, close } = await openStorage(url, { poolSize: 2, connectTimeoutMs: 10_000 })
    keep(close)
    return { url, storage }
  })

/**
 * Returns SQLite, PostgreSQL, MariaDB and Redis. A store whose server does not listen at the
 * address of the tests is returned as missing.
 */
export const findStores = async (): Promise<readonly Store[]> => {
  const databases = await findDatabases()
  const redis = await findRedis()
  return [
    ...databases.map(({ createDatabase, ...database }) => ({
      ...database,
      create: async () => {
        const { url, drop } = await createDatabase()
        return openStore(url, drop)
      },
    })),
    { ...redis, create: () => createRedisStore(redis.url) },
  ]
}

/** Creates a store from the keys with a new prefix in Redis. */
const createRedisStore = (server: URL): Promise<FreshStore> => {
  const prefix = `reliability:${randomUUID()}:`
  const url = new URL(server)
  url.searchParams.set('prefix', prefix)
  return openStore(url.href, async () => {
    const client = await createClient({ url: server.href }).connect()
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
      if (keys.length > 0) await client.unlink(keys)
    }
    await client.close()
  })
}
