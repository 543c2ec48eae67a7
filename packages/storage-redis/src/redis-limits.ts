import type { Limiter, LimiterOptions } from '@jwt-auth/core'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { parsePrefix, type RedisStorageOptions } from './redis-options.js'
import type { RedisScriptClient } from './script-runner.js'
import { toLimitsError } from './storage-error.js'

/**
 * Counts failed logins and failed token checks in the Redis of the sessions. All instances share the counts, and the counts
 * survive a restart of an instance. Redis deletes a count when its window ends. The library rate-limiter-flexible does the
 * counting.
 *
 * A call that fails rejects with an `Error` that has the code of Redis, of the socket or of the client's error.
 *
 * @param options the same `prefix` that `redisStorage` receives
 * @returns the value of the option `rateLimits.limiter`
 * @throws TypeError for a value that is not a node-redis client, and for a wrong or unknown option
 *
 * @example
 * ```ts
 * jwtAuth({ secret, issuer, users, storage: redisStorage(client), rateLimits: { limiter: redisLimits(client) } })
 * ```
 */
export const redisLimits = (
  client: RedisScriptClient,
  options: RedisStorageOptions = {},
): ((limiter: LimiterOptions) => Limiter) => {
  const prefix = parsePrefix('redisLimits', client, options)
  // The application may have configured other types of replies.
  const storeClient = client.withCommandOptions({ typeMapping: {} })

  return (limiterOptions) => {
    const { keyPrefix } = limiterOptions
    const store = new RateLimiterRedis({
      ...limiterOptions,
      keyPrefix: `${prefix}limits:${keyPrefix}`,
      storeClient,
      useRedisPackage: true,
    })
    return {
      consume: (key, points) => store.consume(key, points).catch(rethrow),
      reward: (key, points) => store.reward(key, points).catch(rethrow),
      penalty: (key, points) => store.penalty(key, points).catch(rethrow),
      get: (key) => store.get(key).catch(rethrow),
      set: (key, points, seconds) => store.set(key, points, seconds).catch(rethrow),
    }
  }
}

// A limiter that refuses rejects with the state of the key, which is not an error.
const rethrow = (thrown: unknown): never => {
  throw thrown instanceof Error ? toLimitsError(thrown) : thrown
}
