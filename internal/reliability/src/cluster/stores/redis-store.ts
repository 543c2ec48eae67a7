import { randomUUID } from 'node:crypto'
import { createClient } from 'redis'
import { type FreshStore, openFreshStore } from './store.js'

/** Creates a store from the keys with a new prefix in Redis. */
export const createRedisStore = (server: URL): Promise<FreshStore> => {
  const prefix = `reliability:${randomUUID()}:`
  const url = new URL(server)
  url.searchParams.set('prefix', prefix)
  return openFreshStore(url.href, {
    findDamage: async () => [],
    damageSession: async (sessionId, text) => {
      const client = await createClient({ url: server.href }).connect()
      await client.hSet(`${prefix}session:${sessionId}`, 'recentVerifiers', text)
      await client.close()
    },
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
