import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import { type KnexStorageOptions, knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { connectTo, isPresent } from '@jwt-auth/test-support'
import { createClient } from 'redis'
import { findSharedStores, type SharedStore } from './shared-stores.js'
import { databaseUrlOf, type StoreName, type World } from './world.js'

/** New databases with sessions. */
export interface OpenedStores {
  readonly urls: Readonly<Partial<Record<StoreName, string>>>
  readonly drop: () => Promise<void>
}

/** Starts each of these stores that is present, and inserts sessions. */
export const openStores = async (
  names: readonly string[],
  sessions: readonly SessionRecord[],
): Promise<OpenedStores> => {
  const urls: Record<string, string> = {}
  const started: SharedStore[] = []
  const drop = async (): Promise<void> => {
    await Promise.all(started.map(({ remove }) => remove()))
  }
  try {
    for (const { name, start } of findSharedStores().filter(isPresent)) {
      if (!names.includes(name)) continue
      const store = await start()
      started.push(store)
      urls[name] = store.urls.join()
      await (name === 'Redis' ? fillRedis : fillDatabase)(store.urls.join(), sessions)
    }
  } catch (failure) {
    await drop()
    throw failure
  }
  return { urls, drop }
}

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
