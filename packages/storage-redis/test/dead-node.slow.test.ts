import { randomBytes } from 'node:crypto'
import { createTokenService, isAuthError, type UserId } from '@jwt-auth/core'
import { redisStorage } from '@jwt-auth/storage-redis'
import { type ClusterNodes, explainMissingCluster, startClusterNodes } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createCluster } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'

const prefix = 'jwt-auth:'
const userOf = (id: UserId) => ({ id, email: '', nicename: '', displayName: '' })

const connect = async (nodes: ClusterNodes, defaults: { readonly disableOfflineQueue: boolean }) => {
  const client = createCluster({ rootNodes: nodes.urls.map((url) => ({ url })), defaults })
  client.on('error', () => {})
  await client.connect()
  return client
}

const openService = (client: Awaited<ReturnType<typeof connect>>, secret: Buffer) =>
  createTokenService({
    secret,
    issuer: 'https://api.example.com',
    users: {
      findById: async (id) => userOf(id),
      findByUsername: async () => undefined,
      verifyPassword: async () => false,
    },
    storage: redisStorage(client, { prefix }),
    rateLimits: false,
    callTimeoutMs: 5_000,
    onError: () => {},
  })

const missing = explainMissingCluster()

describeEach([{ name: 'a cluster of three nodes', missing }], '$name of which one is killed', () => {
  let nodes: ClusterNodes
  let clients: readonly Awaited<ReturnType<typeof connect>>[]
  beforeAll(async () => {
    nodes = await startClusterNodes(3)
    // By default, node-redis queues the commands for a node that is down.
    clients = await Promise.all([false, true].map((disableOfflineQueue) => connect(nodes, { disableOfflineQueue })))
  })
  afterAll(async () => {
    for (const client of clients ?? []) client.destroy()
    await nodes?.stop()
  })

  it('fails the guards of sessions on that node, and authenticates all others of 60 concurrent requests', async () => {
    const secret = randomBytes(32)
    const [client, ...others] = clients
    if (client === undefined) return expect.unreachable()
    const service = openService(client, secret)
    const services = [service, ...others.map((other) => openService(other, secret))]
    const users = Array.from({ length: 60 }, (_, number) => number)
    const sessions = await Promise.all(users.map((user) => service.sessions.create(user)))
    const [node] = client.masters
    if (node === undefined) return expect.unreachable()
    const lost = new Set(await (await client.nodeClient(node)).keys(`${prefix}session:*`))
    expect(lost.size).toBeGreaterThan(0)
    expect(lost.size).toBeLessThan(60)

    await nodes.nodeAt(node.port).stop('crash')

    const expected = sessions.map(({ sessionId }) =>
      lost.has(`${prefix}session:${sessionId}`) ? 'jwt_auth_unavailable' : 'authenticated',
    )
    for (const one of services) {
      const guard = (): Promise<readonly string[]> =>
        Promise.all(
          sessions.map(({ accessToken }) =>
            one.authorize(accessToken).then(
              () => 'authenticated',
              (error: unknown) => (isAuthError(error) ? error.code : String(error)),
            ),
          ),
        )
      expect(await guard()).toEqual(expected)
      expect(await guard()).toEqual(expected)
    }
  })
})
