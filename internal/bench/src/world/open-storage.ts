import type { SessionStorage } from '@jwt-auth/core'
import { type KnexStorageOptions, knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { connectTo } from '@jwt-auth/test-support'
import { createClient } from 'redis'
import { databaseUrlOf, type StoreName, type World } from './world.js'

/** The number of connections of each contender to its database. */
export const poolSize = 10

/** Opens the storage of a world's sessions. The connections end with the process. */
export const openStorage = async (
  world: World,
  store: StoreName,
  options?: KnexStorageOptions,
): Promise<SessionStorage> => {
  const url = databaseUrlOf(world, store)
  return store === 'Redis'
    ? openRedis(new URL(url))
    : knexStorage(connectTo(url, { min: poolSize, max: poolSize }), options)
}

const openRedis = async (url: URL): Promise<SessionStorage> => {
  const prefix = url.searchParams.get('prefix') ?? undefined
  url.searchParams.delete('prefix')
  return redisStorage(await createClient({ url: url.href }).connect(), { prefix })
}
