import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import { type KnexStorageOptions, knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { connectTo, isPresent, openAll } from '@jwt-auth/test-support'
import type { Pool } from 'pg'
import { createClient } from 'redis'
import { findSharedStores } from './shared-stores.js'
import { databaseUrlOf, type StoreName, type World } from './world.js'

/** Starts each of these stores that is present, and inserts sessions. */
export const openStores = (names: readonly string[], sessions: readonly SessionRecord[]) =>
  openAll(async (keep) => {
    const urls: Record<string, string> = {}
    for (const { name, start } of findSharedStores().filter(isPresent)) {
      if (!names.includes(name)) continue
      const store = await start()
      keep(store.close)
      const url = store.urls.join()
      urls[name] = url
      await (name === 'Redis' ? fillRedis : fillDatabase)(url, sessions)
    }
    return { urls }
  })

const fillDatabase = async (url: string, sessions: readonly SessionRecord[]): Promise<void> => {
  const knex = connectTo(url)
  try {
    const storage = knexStorage(knex)
    await storage.migrate()
    await Promise.all(sessions.map((session) => storage.create(session)))
  } finally {
    await knex.destroy()
  }
}

const fillRedis = async (url: string, sessions: readonly SessionRecord[]): Promise<void> => {
  const client = await createClient({ url }).connect()
  const storage = redisStorage(client)
  await Promise.all(sessions.map((session) => storage.create(session)))
  await client.close()
}

/** The number of connections of each contender to its database. */
export const poolSize = 10

/** Opens connections of `pg` to a PostgreSQL. They end with the process. */
export const openPool = async (url: string): Promise<Pool> => {
  const { default: pg } = await import('pg')
  return new pg.Pool({ connectionString: url, max: poolSize, min: poolSize })
}

/** Opens the storage of a world's sessions. The connections end with the process. */
export const openStorage = async (
  world: World,
  store: StoreName,
  options?: KnexStorageOptions,
): Promise<SessionStorage> => {
  const url = databaseUrlOf(world, store)
  if (store === 'Redis') return redisStorage(await createClient({ url }).connect())
  return knexStorage(connectTo(url, { min: poolSize, max: poolSize }), options)
}
