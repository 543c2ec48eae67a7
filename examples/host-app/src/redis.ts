import type { RateLimitOptions, SessionStorage } from '@jwt-auth/express'
import { redisLimits, redisStorage } from '@jwt-auth/storage-redis'
import { createClient } from 'redis'
import { connectTimeoutMs } from './database.js'

const longestReconnectDelayMs = 2_000

/** Connects to Redis and writes the schema version. Rejects after five seconds without a response. Reconnects after a later failure. */
export const openRedis = async (
  url: string,
): Promise<{
  readonly storage: SessionStorage
  readonly limiter: RateLimitOptions['limiter']
  readonly inspection: { readonly runRedis: (args: string[]) => unknown }
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
  // Without a listener, an error of the client would end the process. jwt-auth logs the failures of the requests.
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
    throw isLate ? new Error('no response') : error
  } finally {
    clearTimeout(deadline)
  }
  isConnected = true
  const inspection = { runRedis: (args: string[]) => client.sendCommand(args) }
  return { storage, limiter: redisLimits(client), inspection, close: () => client.destroy() }
}
