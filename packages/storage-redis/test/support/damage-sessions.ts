import type { DamageSession } from '@jwt-auth/storage-conformance'
import type { RedisScriptClient } from '@jwt-auth/storage-redis'

const swapFieldScript = `
local before = redis.call('HGET', KEYS[1], ARGV[1])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return before
`

/**
 * Returns the function that overwrites a field of a session with text that no session has there.
 */
export const damageSessions = (client: RedisScriptClient, prefix: string, field = 'recentVerifiers'): DamageSession => {
  const commands = client.withCommandOptions({ typeMapping: {} })
  return async (sessionId) => {
    const swap = (text: string): Promise<unknown> =>
      commands.eval(swapFieldScript, { keys: [`${prefix}session:${sessionId}`], arguments: [field, text] })
    const before = String(await swap('damaged'))
    return () => swap(before)
  }
}
