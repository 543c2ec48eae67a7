import { randomUUID } from 'node:crypto'
import type { SessionStorage } from '@jwt-auth/core'
import { type RedisScriptClient, redisStorage } from '@jwt-auth/storage-redis'
import { isListening } from '@jwt-auth/test-support'
import { createClient, createCluster } from 'redis'
import { type ClusterNodes, isRedisServerInstalled, startClusterNodes } from './cluster-nodes.js'

/** A Redis the tests run on. */
export interface RedisServer {
  readonly name: 'one node' | 'a cluster of three nodes'
  readonly client: RedisScriptClient
  /** Makes a storage that is empty: its keys have a prefix of their own. */
  readonly createStorage: (prefix?: string) => SessionStorage
  /** How many keys that begin with a prefix each node holds. */
  readonly countKeys: (prefix: string) => Promise<readonly number[]>
  /** Ends the connection, and what the test started or left behind. */
  readonly stop: () => Promise<void>
}

/** A prefix that no other test has. */
export const freshPrefix = (): string => `test-${process.pid}:${randomUUID()}:`

/**
 * The Redis that `TEST_REDIS_URL` names or that listens at the standard port, and a cluster that is started here. Says in one
 * line what is left out; in CI nothing may be.
 */
export const findRedisServers = async (): Promise<readonly RedisServer[]> => {
  // One after the other: a failure of the first must not leave the nodes of the second running.
  const singleNode = await findSingleNode()
  return [...singleNode, ...(await findCluster())]
}

const findSingleNode = async (): Promise<readonly RedisServer[]> => {
  const given = process.env['TEST_REDIS_URL']
  const url = new URL(given ?? 'redis://127.0.0.1:6379')
  if (given !== undefined || (await isListening(url))) return [await connectSingleNode(url)]
  return skip(`Redis is not tested: nothing listens at ${url.host}, and TEST_REDIS_URL names no other.`)
}

const findCluster = async (): Promise<readonly RedisServer[]> => {
  if (isRedisServerInstalled()) return [await connectCluster(await startClusterNodes(3))]
  return skip('Redis Cluster is not tested: redis-server and redis-cli are not installed.')
}

const skip = (message: string): readonly RedisServer[] => {
  if (process.env['CI'] !== undefined) throw new Error(message)
  process.stderr.write(`${message}\n`)
  return []
}

const connectSingleNode = async (url: URL): Promise<RedisServer> => {
  const client = createClient({ url: url.href, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  return {
    name: 'one node',
    client,
    createStorage: (prefix = freshPrefix()) => redisStorage(client, { prefix }),
    countKeys: async (prefix) => [(await client.keys(`${prefix}*`)).length],
    stop: async () => {
      for await (const keys of client.scanIterator({ MATCH: `test-${process.pid}:*` })) {
        if (keys.length > 0) await client.unlink(keys)
      }
      await client.close()
    },
  }
}

const connectCluster = async (nodes: ClusterNodes): Promise<RedisServer> => {
  const client = createCluster({ rootNodes: nodes.urls.map((url) => ({ url })) })
  client.on('error', () => {})
  await client.connect()
  return {
    name: 'a cluster of three nodes',
    client,
    createStorage: (prefix = freshPrefix()) => redisStorage(client, { prefix }),
    countKeys: (prefix) =>
      Promise.all(
        client.masters.map(async (node) => (await (await client.nodeClient(node)).keys(`${prefix}*`)).length),
      ),
    stop: async () => {
      await client.close()
      await nodes.stop()
    },
  }
}
