import { createClient } from 'redis'

/** A numbered database of a Redis server that only one test file uses. */
export interface RedisDatabase {
  readonly url: string
  /** Deletes all keys of the database. */
  readonly drop: () => Promise<void>
}

const marker = 'jwt-auth-test:database'
const claim = 'jwt-auth-test:claim'
const longestRunSeconds = 600

/** Claims a database of a Redis server. */
export const claimRedisDatabase = async (server: URL): Promise<RedisDatabase> => {
  const url = new URL(server)
  for (let number = 15; number > 0; number -= 1) {
    url.pathname = `/${number}`
    const database = await claimDatabase(url.href)
    if (database !== undefined) return database
  }
  throw new Error(`Every database of the Redis at ${server.host} is in use.`)
}

// Only an empty database, or one that an interrupted run of these tests has marked, may be used and emptied.
const claimDatabase = async (url: string): Promise<RedisDatabase | undefined> => {
  const client = await createClient({ url, socket: { reconnectStrategy: false } })
    .on('error', () => {})
    .connect()
  const isFree = (await client.exists(marker)) === 1 || (await client.dbSize()) === 0
  const isOurs =
    isFree &&
    (await client.set(claim, process.pid, {
      condition: 'NX',
      expiration: { type: 'EX', value: longestRunSeconds },
    })) !== null
  if (!isOurs) {
    await client.close()
    return undefined
  }
  await client.set(marker, 'tests')
  return {
    url,
    drop: async () => {
      await client.flushDb()
      await client.close()
    },
  }
}
