import type { Limiter, LimiterOptions } from '@jwt-auth/core'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { checkConnection, type RedisStorageOptions } from './redis-options.js'
import { RedisStorageError, readErrorCode } from './redis-storage-error.js'
import type { RedisScriptClient } from './run-script.js'

/**
 * Counts failed logins and failed token checks in the Redis that holds the sessions. All instances share the counts, and a restart
 * of an instance keeps them. Redis deletes a count when its time ends. rate-limiter-flexible does the counting.
 *
 * @param options the prefix, the same that `redisStorage` receives
 * @returns the value of the option `rateLimits.limiter`
 * @throws TypeError for a value that is not a node-redis client and for a wrong prefix
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
  const prefix = checkConnection('redisLimits', client, options)
  // The application may have mapped the types of replies.
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
      consume: (key, points) => store.consume(key, points).catch(toFailure),
      reward: (key, points) => store.reward(key, points).catch(toFailure),
      penalty: (key, points) => store.penalty(key, points).catch(toFailure),
      get: (key) => store.get(key).catch(toFailure),
      set: (key, points, seconds) => store.set(key, points, seconds).catch(toFailure),
    }
  }
}

// A refusal is the state of the key, and no error.
const toFailure = (thrown: unknown): never => {
  throw thrown instanceof Error ? new RedisStorageError('limits', readErrorCode(thrown)) : thrown
}
