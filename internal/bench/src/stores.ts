import type { SessionStorage } from '@jwt-auth/core'
import type { SessionRecord } from '@jwt-auth/core/adapter'
import { knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { connectTo, createSqliteFile, findOwnServers, type Prerequisite } from '@jwt-auth/test-support'
import type { Pool } from 'pg'
import { createClient } from 'redis'

/** The stores besides memory. */
export type StoreName = 'SQLite' | 'PostgreSQL' | 'MariaDB' | 'Redis'

/** A running store of the bench, with the settings that docs/reliability.md requires. */
export interface Store {
  readonly url: string
  /** The processes of its server. */
  readonly processIds: readonly number[]
  /** Stops the store and removes its files. */
  readonly close: () => Promise<void>
}

interface StoreKind extends Prerequisite {
  readonly name: StoreName
  readonly start: () => Promise<Store>
}

/** Returns the kinds of stores. */
export const findStores = (): readonly StoreKind[] => [
  {
    name: 'SQLite',
    start: async () => {
      const { url, drop } = await createSqliteFile({ isDurable: true })
      return { url, processIds: [], close: drop }
    },
  },
  ...findOwnServers().map(({ name, missing, start }) => ({
    name,
    missing,
    start: async () => {
      const { url, processId, remove } = await start()
      return { url, processIds: [processId() ?? 0], close: remove }
    },
  })),
]

/** Inserts sessions into an empty store. */
export const fillStore = async (name: StoreName, url: string, sessions: readonly SessionRecord[]): Promise<void> => {
  if (name === 'Redis') {
    const client = await createClient({ url }).connect()
    const storage = redisStorage(client)
    await Promise.all(sessions.map((session) => storage.create(session)))
    return client.close()
  }
  const knex = connectTo(url)
  try {
    const storage = knexStorage(knex)
    await storage.migrate()
    await Promise.all(sessions.map((session) => storage.create(session)))
  } finally {
    await knex.destroy()
  }
}

/** The number of connections of each contender to its database. */
export const poolSize = 10

/** Opens connections of `pg` to a PostgreSQL. They end with the process. */
export const openPool = async (url: string): Promise<Pool> => {
  const { default: pg } = await import('pg')
  return new pg.Pool({ connectionString: url, max: poolSize, min: poolSize })
}

/** Opens the storage of a store. The connections end with the process. */
export const openStorage = async (
  name: StoreName,
  url: string,
  options?: Parameters<typeof knexStorage>[1],
): Promise<SessionStorage> => {
  if (name === 'Redis') return redisStorage(await createClient({ url }).connect())
  return knexStorage(connectTo(url, { min: poolSize, max: poolSize }), options)
}
