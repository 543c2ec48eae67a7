import { randomUUID } from 'node:crypto'
import type { SessionRecord, SessionStorage } from '@jwt-auth/core'
import { type KnexStorageOptions, knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { connectTo, findDatabases, findRedis, isPresent } from '@jwt-auth/test-support'
import type { Knex } from 'knex'
import { createClient } from 'redis'
import { databaseUrlOf, type StoreName, type World } from './world.js'

/** New databases with sessions. */
export interface OpenedStores {
  readonly urls: Readonly<Partial<Record<StoreName, string>>>
  readonly drop: () => Promise<void>
}

interface FilledStore {
  readonly name: StoreName
  readonly url: string
  readonly drop: () => Promise<void>
}

/** Creates a new database in each of these stores that is present, and inserts sessions. */
export const openStores = async (
  names: readonly StoreName[],
  sessions: readonly SessionRecord[],
): Promise<OpenedStores> => {
  const filled: FilledStore[] = []
  const drop = async (): Promise<void> => {
    for (const store of filled) await store.drop()
  }
  try {
    for (const { name, createDatabase } of names.length === 0 ? [] : (await findDatabases()).filter(isPresent)) {
      if (!names.includes(name)) continue
      const database = await createDatabase({ isDurable: true })
      filled.push({ name, url: database.url, drop: database.drop })
      await fillDatabase(database.url, sessions)
    }
    if (names.includes('Redis')) filled.push(...(await fillRedis(sessions)))
  } catch (failure) {
    await drop()
    throw failure
  }
  return { urls: Object.fromEntries(filled.map(({ name, url }) => [name, url])), drop }
}

const fillDatabase = async (url: string, sessions: readonly SessionRecord[]): Promise<void> => {
  const knex = connectTo(url)
  try {
    await knexStorage(knex).migrate()
    await insertSessions(knex, sessions)
  } finally {
    await knex.destroy()
  }
}

const fillRedis = async (sessions: readonly SessionRecord[]): Promise<readonly FilledStore[]> => {
  const { url: server, missing } = await findRedis()
  if (missing !== undefined) return []
  const prefix = `bench:${randomUUID()}:`
  const client = await createClient({ url: server.href }).connect()
  const storage = redisStorage(client, { prefix })
  await Promise.all(sessions.map((session) => storage.create(session)))
  const url = new URL(server)
  url.searchParams.set('prefix', prefix)
  const drop = async (): Promise<void> => {
    for await (const keys of client.scanIterator({ MATCH: `${prefix}*`, COUNT: 1_000 })) {
      if (keys.length > 0) await client.unlink(keys)
    }
    await client.close()
  }
  return [{ name: 'Redis', url: url.href, drop }]
}

// SQLite binds 32,766 values at most, and a row has 21.
const rowsInStatement = 500

/** Inserts sessions into a migrated database, many per statement. */
const insertSessions = async (knex: Knex, sessions: readonly SessionRecord[]): Promise<void> => {
  await knex.batchInsert('jwt_auth_sessions', sessions.map(toRow), rowsInStatement)
}

const toRow = ({ userId, recentVerifiers, ...session }: SessionRecord): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(Object.entries(session).map(([name, value]) => [toColumn(name), value])),
  user_id: JSON.stringify(userId),
  recent_verifiers: JSON.stringify(recentVerifiers),
  clearable_at: recentVerifiers.length > 0 ? session.rotatedAt : null,
  expires_at: session.endedAt ?? Math.min(session.idleExpiresAt, session.absoluteExpiresAt),
})

const toColumn = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** The number of connections of each contender to its database. */
export const poolSize = 10

/** Opens the storage of a world's sessions. The connections end with the process. */
export const openStorage = async (
  world: World,
  store: StoreName,
  options?: KnexStorageOptions,
): Promise<SessionStorage> => {
  const url = databaseUrlOf(world, store)
  if (store !== 'Redis') return knexStorage(connectTo(url, { min: poolSize, max: poolSize }), options)
  const server = new URL(url)
  const prefix = server.searchParams.get('prefix') ?? undefined
  server.searchParams.delete('prefix')
  return redisStorage(await createClient({ url: server.href }).connect(), { prefix })
}
