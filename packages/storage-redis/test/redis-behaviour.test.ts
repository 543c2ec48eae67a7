import { usageError } from '@jwt-auth/core/internal'
import { redisStorage } from '@jwt-auth/storage-redis'
import { createClient, createClientPool, createCluster } from 'redis'
import { afterAll, describe, expect, it } from 'vitest'
import { declareBehaviour } from './support/declare-behaviour.js'
import { findSingleNode } from './support/redis-servers.js'

// redis-cluster.slow.test.ts has a cluster.
const server = await findSingleNode()
afterAll(server.stop)
declareBehaviour(server)

describe('redisStorage', () => {
  it.each([
    ['createClient()', createClient()],
    ['createClientPool()', createClientPool()],
    ['createCluster()', createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:6379' }] })],
  ])('rejects with an instruction when %s was never connected', async (_, client) => {
    const result = redisStorage(client).findByIds(['id'])
    await expect(result).rejects.toMatchObject({
      message:
        'jwt-auth: redisStorage could not find sessions (ClientClosedError); the client is not connected: call `await client.connect()` before the first request, and close the client after `await auth.close()`',
      code: 'ClientClosedError',
    })
  })

  it('rejects with the lost connection when a client has no offline queue', async () => {
    const client = createClient({ url: 'redis://127.0.0.1:1', disableOfflineQueue: true })
    client.on('error', () => {})
    const connected = client.connect().catch(() => {})
    await expect(redisStorage(client).findByIds(['id'])).rejects.toThrow('the client has lost its connection')
    client.destroy()
    await connected
  })

  it('asks for lookups in batches on one node, and for single lookups on a cluster', () => {
    expect(redisStorage(createClient()).batchLookups).toBe(true)
    expect(redisStorage(createClientPool()).batchLookups).toBe(true)
    const rootNodes = [{ url: 'redis://127.0.0.1:6379' }]
    expect(redisStorage(createCluster({ rootNodes })).batchLookups).toBe(false)
  })

  it.each([
    ['a client without command options', {}, ''],
    ['a client in legacy mode', createClient().legacy(), ''],
    ['a client of ioredis', { defineCommand: () => {}, sendCommand: () => {} }, ', not of ioredis'],
  ])('throws for %s', (_, client, not) => {
    // @ts-expect-error what a caller without types may hand in
    expect(() => redisStorage(client)).toThrow(
      usageError(
        'redisStorage',
        `redisStorage must be given a client of the package \`redis\` (node-redis)${not}; create one: \`redisStorage(await createClient({ url }).connect())\`.`,
      ),
    )
  })

  it.each([
    ['an unknown option', { prefx: 'a:' }, 'jwt-auth: redisStorage has no option `prefx`'],
    ['a number as prefix', { prefix: 1 }, 'jwt-auth: option `redisStorage.prefix` must be text; received 1.'],
  ])('throws for %s', (_, options, message) => {
    expect(() => Reflect.apply(redisStorage, undefined, [createClient(), options])).toThrow(message)
  })
})
