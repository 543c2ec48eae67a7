import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { MigratableStorage } from '@jwt-auth/core/adapter'
import type { HoldBackend } from '@jwt-auth/storage-conformance'
import { type RedisScriptClient, redisStorage } from '@jwt-auth/storage-redis'
import {
  askRedis,
  type ClusterNodes,
  explainMissingCluster,
  findRedis,
  type Prerequisite,
  startClusterNodes,
} from '@jwt-auth/test-support'
import { createClient, createCluster } from 'redis'

/** A Redis the tests run on. A missing one can be named, but every command fails. */
export interface RedisServer extends Prerequisite {
  readonly name: 'one node' | 'a cluster of three nodes'
  readonly client: RedisScriptClient
  /** Creates an empty storage, whose keys have a new prefix. */
  readonly createStorage: (prefix?: string) => MigratableStorage
  /** Holds the commands of the client without affecting other clients of a shared server. */
  readonly hold: HoldBackend
  /** Resolves to the number of keys with a prefix on each node. */
  readonly countKeys: (prefix: string) => Promise<readonly number[]>
  /** Closes the connection, deletes the keys of the test, and ends the servers that it started. */
  readonly stop: () => Promise<void>
}

/** Returns a prefix that no other test uses. */
export const freshPrefix = (): string => `test-${process.pid}:${randomUUID()}:`

/** Deletes the keys of the tests of this process on a single node. */
export const deleteTestKeys = async (url: URL): Promise<void> => {
  const client = await createClient({ url: url.href })
    .on('error', () => {})
    .connect()
  for await (const keys of client.scanIterator({ MATCH: `test-${process.pid}:*` })) {
    if (keys.length > 0) await client.unlink(keys)
  }
  await client.close()
}

/** Returns a single node, which `TEST_REDIS_URL` names or which listens at the standard port. */
export const findSingleNode = async (): Promise<RedisServer> => {
  const { url, missing } = await findRedis()
  return missing === undefined ? connectSingleNode(url) : missingServer('one node', missing)
}

/** Returns a cluster that is started here. */
export const findCluster = async (): Promise<RedisServer> => {
  const missing = explainMissingCluster()
  const name = 'a cluster of three nodes'
  return missing === undefined ? connectCluster(await startClusterNodes(3)) : missingServer(name, missing)
}

const missingServer = (name: RedisServer['name'], missing: string): RedisServer => {
  const client = createClient()
  return {
    name,
    missing,
    client,
    createStorage: () => redisStorage(client),
    hold: async () => async () => {},
    countKeys: async () => [],
    stop: async () => {},
  }
}

const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
const [, rights = ''] = /^ACL SETUSER .+ ~jwt-auth:\* (.+)$/m.exec(readme) ?? []

/** The rights of the Redis user in the README. */
export const readmeRights: readonly string[] = rights.split(' ')

/** A user of Redis that tests create. */
export interface TestUser {
  /** The URL with the name and the password of the user. */
  readonly url: string
  /** Replaces the rights of the user, whose keys have the prefix of the tests. */
  readonly allow: (rights: readonly string[]) => Promise<unknown>
  readonly remove: () => Promise<unknown>
}

/** Returns a user that does not exist until `allow` is called. */
export const createTestUser = (url: URL): TestUser => {
  const username = `test-${randomUUID()}`
  const password = randomUUID()
  return {
    url: Object.assign(new URL(url), { username, password }).href,
    allow: (rights) =>
      askRedis(
        url.href,
        'ACL',
        'SETUSER',
        username,
        'reset',
        'on',
        `>${password}`,
        `~test-${process.pid}:*`,
        ...rights,
      ),
    remove: () => askRedis(url.href, 'ACL', 'DELUSER', username),
  }
}

// The storage has the rights of the README only. The tests themselves use two commands more.
const connectSingleNode = async (url: URL): Promise<RedisServer> => {
  const socket = { reconnectStrategy: false } as const
  const admin = await createClient({ url: url.href, socket })
    .on('error', () => {})
    .connect()
  const user = createTestUser(url)
  await user.allow([...readmeRights, '+blpop', '+zcard'])
  const client = createClient({ url: user.url, socket })
  client.on('error', () => {})
  await client.connect()
  return {
    name: 'one node',
    client,
    createStorage: (prefix = freshPrefix()) => redisStorage(client, { prefix }),
    // Redis runs no further command of a connection that waits for the element of a list.
    hold: async () => {
      const list = freshPrefix()
      const blocked = client.blPop(list, 0)
      return async () => {
        await admin.lPush(list, 'released')
        await blocked
      }
    },
    countKeys: async (prefix) => [(await admin.keys(`${prefix}*`)).length],
    stop: async () => {
      await Promise.all([admin.close(), client.close()])
      await deleteTestKeys(url)
      await user.remove()
    },
  }
}

const connectCluster = async (nodes: ClusterNodes): Promise<RedisServer> => {
  const client = createCluster({ rootNodes: nodes.urls.map((url) => ({ url })) })
  client.on('error', () => {})
  await client.connect()
  // Uses new connections, because a paused connection runs no further command.
  const toEachNode = async (...command: readonly string[]): Promise<void> => {
    for (const url of nodes.urls) {
      const control = await createClient({ url }).connect()
      await control.sendCommand(command)
      await control.close()
    }
  }
  return {
    name: 'a cluster of three nodes',
    client,
    createStorage: (prefix = freshPrefix()) => redisStorage(client, { prefix }),
    // Scripts count as writes. In the mode ALL, the servers would not receive the command that
    // releases them.
    hold: async () => {
      await toEachNode('CLIENT', 'PAUSE', '600000', 'WRITE')
      return () => toEachNode('CLIENT', 'UNPAUSE')
    },
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
