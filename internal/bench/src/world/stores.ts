import { randomUUID } from 'node:crypto'
import type { SessionRecord } from '@jwt-auth/core'
import { knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { connectTo, findDatabases, findRedis, isPresent } from '@jwt-auth/test-support'
import { createClient } from 'redis'
import { insertSessions } from './insert-sessions.js'
import type { StoreName } from './world.js'

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
      const database = await createDatabase()
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
