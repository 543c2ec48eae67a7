import type { RedisScriptClient } from './run-script.js'

/** The options of sessions and of rate-limit counts in Redis. */
export interface RedisStorageOptions {
  /** The text that every key starts with. Text in braces at its end keeps all keys of a cluster on one node. @default 'jwt-auth:' */
  readonly prefix?: string | undefined
}

/** Returns the prefix. Throws a `TypeError` for a value that is not a node-redis client and for a prefix that is no text. */
export const checkConnection = (
  caller: string,
  client: RedisScriptClient,
  { prefix = 'jwt-auth:' }: RedisStorageOptions,
): string => {
  if (typeof client?.withCommandOptions !== 'function')
    throw new TypeError(`${caller}: client is no node-redis client.`)
  if (typeof prefix !== 'string') throw new TypeError(`${caller}: prefix is text, not ${typeof prefix}.`)
  return prefix
}

/** Whether a client is of `createCluster`. Its nodes fail one by one. */
export const isCluster = (client: RedisScriptClient): boolean =>
  'nodeClient' in client && typeof client.nodeClient === 'function'
