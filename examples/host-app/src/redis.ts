import type { RateLimitOptions, SessionStorage } from '@jwt-auth/express'
import { redisLimits, redisStorage } from '@jwt-auth/storage-redis'
import { createClient } from 'redis'
import { connectTimeoutMs } from './database.js'

const longestReconnectDelayMs = 2_000

/** Connects to the Redis at a URL. Rejects when it cannot be used; later losses of the connection are repaired. */
export const openRedis = async (
  url: string,
): Promise<{
  readonly storage: SessionStorage
  readonly limiter: RateLimitOptions['limiter']
  readonly close: () => void
}> => {
  let isConnected = false
  const client = createClient({
    url,
    // Without a connection, requests fail with 503 immediately instead of waiting for the next connection.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: (retries) => isConnected && Math.min(100 * 2 ** retries, longestReconnectDelayMs),
    },
  })
  // A client without a listener would end the process. Requests report the failure: the SDK logs what storage rejects with.
  client.on('error', () => {})
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    client.destroy()
  }, connectTimeoutMs)
  const storage = redisStorage(client)
  try {
    await client.connect()
    await storage.migrate()
  } catch (error) {
    if (client.isOpen) client.destroy()
    throw isLate ? new Error('no answer') : error
  } finally {
    clearTimeout(deadline)
  }
  isConnected = true
  return { storage, limiter: redisLimits(client), close: () => client.destroy() }
}
