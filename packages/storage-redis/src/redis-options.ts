import { checkOptionNames, getMember, optionError, usageError } from '@jwt-auth/core/internal'
import type { RedisScriptClient } from './script-runner.js'

/** The options of `redisStorage`. */
export interface RedisStorageOptions {
  /**
   * The text at the start of every key. A prefix that ends with text in braces, such as `{auth}:`,
   * keeps all keys of a cluster on one node.
   *
   * @default 'jwt-auth:'
   */
  readonly prefix?: string | undefined
}

/**
 * Checks the arguments of `redisStorage` and returns the prefix. Throws a `TypeError` for a value
 * that is not a node-redis client, and for a wrong or unknown option.
 */
export const parsePrefix = (client: RedisScriptClient, options: RedisStorageOptions): string => {
  if (typeof client?.withCommandOptions !== 'function') {
    const not = getMember(client, 'defineCommand') === undefined ? '' : ', not of ioredis'
    throw usageError(
      'redisStorage',
      `redisStorage must be given a client of the package \`redis\` (node-redis)${not}; create one: \`redisStorage(await createClient({ url }).connect())\`.`,
    )
  }
  const { prefix = 'jwt-auth:' } = checkOptionNames(options, { prefix: true }, 'redisStorage')
  if (typeof prefix !== 'string') throw optionError('redisStorage.prefix', 'text', prefix)
  return prefix
}
