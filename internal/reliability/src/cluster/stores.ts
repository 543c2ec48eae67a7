import { randomUUID } from 'node:crypto'
import type { SessionStorage } from '@jwt-auth/core'
import { type FreshDatabase, findDatabases, findRedis, type Prerequisite } from '@jwt-auth/test-support'
import { createClient } from 'redis'
import { openStorage } from './instance/open-storage.js'

/** A kind of store that instances share. A store of a missing kind cannot be created. */
export interface Store extends Prerequisite {
  readonly name: 'SQLite' | 'PostgreSQL' | 'MariaDB' | 'Redis'
  readonly create: () => Promise<FreshStore>
}

/** A new, empty store. */
export interface FreshStore {
  /** For the setting `storageUrl` of an instance. */
  readonly url: string
  /** The same store without an instance. */
  readonly storage: SessionStorage
  /**
   * Returns the complaints of the store's own integrity check. Returns none when the store has no
   * such check.
   */
  readonly findDamage: () => Promise<readonly string[]>
  /** Removes the store. */
  readonly drop: () => Promise<void>
}

/** Opens a new store and creates its tables. Removes the store when that fails. */
const openFreshStore = async (
  url: string,
  { remove, ...own }: Pick<FreshStore, 'findDamage'> & { readonly remove: () => Promise<void> },
): Promise<FreshStore> => {
  try {
    const { storage, close } = await openStorage(url, { poolSize: 2, connectTimeoutMs: 10_000 })
    const drop = async (): Promise<void> => {
      await close()
      await remove()
    }
    return { url, storage, drop, ...own }
  } catch (failure) {
    await remove()
    throw failure
  }
}

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
  return openFreshStore(database.url, {
    findDamage: isSqlite ? findDamage : async () => [],
    remove: database.drop,
  })
}

/** Creates a store from the keys with a new prefix in Redis. */
const createRedisStore = (server: URL): Promise<FreshStore> => {
  const prefix = `reliability:${randomUUID()}:`
  const url = new URL(server)
  url.searchParams.set('prefix', prefix)
  return openFreshStore(url.href, {
    findDamage: async () => [],
    remove: () => removeKeys(server, prefix),
  })
}

const removeKeys = async (server: URL, prefix: string): Promise<void> => {
  const client = await createClient({ url: server.href }).connect()
  for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
    if (keys.length > 0) await client.unlink(keys)
  }
  await client.close()
}
