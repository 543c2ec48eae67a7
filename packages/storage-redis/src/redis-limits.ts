import type { Limiter } from '@jwt-auth/core'
import { addAttemptScript, findMarkScript, setMarkScript, takeBackScript } from './limit-scripts.js'
import { parsePrefix, type RedisStorageOptions } from './redis-options.js'
import { createScriptRunner, type RedisScriptClient } from './script-runner.js'

/**
 * Counts failed logins and failed token checks in the Redis of the sessions. All instances share
 * the counts, and the counts survive a restart of an instance. Redis deletes a count when its
 * window ends.
 *
 * A call runs one script for each key, all in one round trip. The keys of a cluster are on
 * different nodes. A call that fails rejects with an `Error` that has the code of Redis, of the
 * socket or of the client's error.
 *
 * @param options the same `prefix` that `redisStorage` receives
 * @returns the value of the option `rateLimits.limiter`
 * @throws TypeError for a value that is not a node-redis client, and for a wrong or unknown option
 *
 * @example
 * ```ts
 * const rateLimits = { limiter: redisLimits(client) }
 * jwtAuth({ secret, issuer, users, storage: redisStorage(client), rateLimits })
 * ```
 */
export const redisLimits = (client: RedisScriptClient, options: RedisStorageOptions = {}): Limiter => {
  const prefix = `${parsePrefix('redisLimits', client, options)}limits:`
  const runFor = createScriptRunner(client)

  return {
    reserve: async (counts, { now, mark, signal }) => {
      const { run } = runFor('count an attempt', signal)
      const [marked = [], ...windows] = await Promise.all([
        mark === undefined ? [] : run(findMarkScript, `${prefix}${mark}`, String(now)),
        ...counts.map(({ key, windowMs }) => run(addAttemptScript, `${prefix}${key}`, String(now), String(windowMs))),
      ])
      return {
        windows: counts.map(({ key }, place) => toWindow(key, windows[place])),
        isMarked: marked.length > 0,
      }
    },
    refund: async (windows, { now, mark, signal }) => {
      const { run } = runFor('count an attempt', signal)
      await Promise.all([
        ...windows.map(({ key, endsAt }) => run(takeBackScript, `${prefix}${key}`, String(endsAt))),
        mark && run(setMarkScript, `${prefix}${mark.key}`, String(now), String(mark.endsAt)),
      ])
    },
  }
}

const toWindow = (key: string, [count, endsAt]: readonly string[] = []) => ({
  key,
  count: Number(count),
  endsAt: Number(endsAt),
})
