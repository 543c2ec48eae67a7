import type { Moment } from '@jwt-auth/storage-conformance'
import type { RedisScriptClient } from '@jwt-auth/storage-redis'

/** The same client, but a connection that breaks whenever a session's own key is asked for. */
export const failAtSessions = (client: RedisScriptClient): RedisScriptClient => ({
  withCommandOptions: (options) => {
    const commands = client.withCommandOptions(options)
    const reset = Object.assign(new Error('a broken connection'), { code: 'ECONNRESET' })
    const isSession = (keys: readonly string[]): boolean => keys.some((key) => key.includes(':session:'))
    return {
      eval: async (script, input) => (isSession(input.keys) ? Promise.reject(reset) : commands.eval(script, input)),
      evalSha: async (sha1, input) => (isSession(input.keys) ? Promise.reject(reset) : commands.evalSha(sha1, input)),
    }
  },
})

/**
 * The same client, but work of another instance is done each time entries of sessions by the time
 * of their creation have been read.
 */
export const workAfterLists = (client: RedisScriptClient, work: () => Promise<unknown>): RedisScriptClient => ({
  withCommandOptions: (options) => {
    const commands = client.withCommandOptions(options)
    const isList = (keys: readonly string[]): boolean => keys.some((key) => key.includes(':created:'))
    const run = async (keys: readonly string[], send: () => Promise<unknown>): Promise<unknown> => {
      const reply = await send()
      if (isList(keys) && Array.isArray(reply) && reply.length > 0) await work()
      return reply
    }
    return {
      eval: (script, input) => run(input.keys, () => commands.eval(script, input)),
      evalSha: (sha1, input) => run(input.keys, () => commands.evalSha(sha1, input)),
    }
  },
})

/** The same client, which counts the scripts that it sends. */
export const countScripts = (
  client: RedisScriptClient,
): { readonly client: RedisScriptClient; readonly count: () => number } => {
  let count = 0
  const withCommandOptions: RedisScriptClient['withCommandOptions'] = (options) => {
    const commands = client.withCommandOptions(options)
    return {
      eval: (script, input) => commands.eval(script, input),
      evalSha: (sha1, input) => {
        count += 1
        return commands.evalSha(sha1, input)
      },
    }
  }
  return { client: { withCommandOptions }, count: () => count }
}

/**
 * The same client, but the first script is failed: before it is sent, or after the server has run it.
 */
export const interruptClient = (client: RedisScriptClient, moment: Moment): RedisScriptClient => {
  let isInterrupted = false
  const interrupt = async (send: () => Promise<unknown>): Promise<unknown> => {
    if (isInterrupted) return send()
    if (moment === 'after-commit') await send()
    isInterrupted = true
    throw Object.assign(new Error('a broken connection'), { code: 'ECONNRESET' })
  }
  return {
    withCommandOptions: (options) => {
      const commands = client.withCommandOptions(options)
      return {
        eval: (script, input) => interrupt(() => commands.eval(script, input)),
        evalSha: (sha1, input) => interrupt(() => commands.evalSha(sha1, input)),
      }
    },
  }
}
