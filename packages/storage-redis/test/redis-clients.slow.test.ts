import { sampleSession, sampleUser } from '@jwt-auth/storage-conformance'
import { type RedisScriptClient, redisStorage } from '@jwt-auth/storage-redis'
import { findPrograms, findRedis, openAll, redisProgram, sentinelProgram, withOpened } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { hourly } from '@jwt-auth/test-support/limiter-cases'
import { createClient, createClientPool, createSentinel, RESP_TYPES } from 'redis'
import { afterAll, expect, it } from 'vitest'
import { deleteTestKeys, freshPrefix } from './support/redis-servers.js'

const session = sampleSession(1, { label: 'naïve \u{1f4f1} "label"' })
const ending = { endedAt: session.createdAt + 1, endReason: 'revoked' }
const now = Date.now()

/** Runs the operations whose replies have different types. */
const useStorage = async (client: RedisScriptClient): Promise<void> => {
  const prefix = freshPrefix()
  const storage = redisStorage(client, { prefix })
  await storage.migrate()
  expect(await storage.status()).toMatchObject({ isReady: true, primary: expect.stringMatching(/^[0-9a-f]{40}$/) })
  await storage.create(session)
  expect(await storage.findByIds([session.id, 'missing'])).toEqual([session])
  expect(await storage.findBySelectorHash(session.selectorHash)).toEqual(session)
  expect(await storage.end({ id: session.id, ...ending })).toEqual({ outcome: 'ended' })
  expect(await storage.end({ id: session.id, ...ending })).toEqual({ outcome: 'already-ended', ...ending })
  expect(await storage.list({ ...sampleUser(1), limit: 10 })).toEqual([{ ...session, ...ending }])
  expect(await storage.deleteExpired({ before: ending.endedAt, limit: 10 })).toBe(1)
  const { windows } = await redisStorage(client, { prefix }).limiter.reserve([hourly('ann')], { now })
  expect(windows).toMatchObject([{ count: 1 }])
}

interface ConnectedClient extends RedisScriptClient {
  on(event: 'error', listener: () => void): unknown
  connect(): Promise<unknown>
  close(): unknown
}

const use = async (client: ConnectedClient): Promise<void> => {
  client.on('error', () => {})
  await client.connect()
  try {
    await useStorage(client)
  } finally {
    await client.close()
  }
}

const { BLOB_STRING, NUMBER, SIMPLE_STRING } = RESP_TYPES
const typeMapping = { [BLOB_STRING]: Buffer, [SIMPLE_STRING]: Buffer, [NUMBER]: String }

describeEach([await findRedis()], 'redisStorage on $name', ({ url: server }) => {
  const { href: url } = server
  afterAll(() => deleteTestKeys(server))

  it.each<[string, () => ConnectedClient]>([
    ['RESP 2', () => createClient({ url, RESP: 2 })],
    ['RESP 3', () => createClient({ url, RESP: 3 })],
    ['other types of replies in RESP 2', () => createClient({ url, RESP: 2, commandOptions: { typeMapping } })],
    ['other types of replies in RESP 3', () => createClient({ url, RESP: 3, commandOptions: { typeMapping } })],
    ['a client-side cache', () => createClient({ url, RESP: 3, clientSideCache: { ttl: 0, maxEntries: 0 } })],
    ['a key prefix', () => createClient({ url, keyPrefix: freshPrefix() })],
    ['no offline queue', () => createClient({ url, disableOfflineQueue: true })],
    ['a pool', () => createClientPool({ url, RESP: 2, commandOptions: { typeMapping } })],
  ])('works with %s', (_, create) => use(create()))
})

const sentinel = findPrograms('Redis Sentinel', ['redis-server', 'redis-cli'])

describeEach([sentinel], 'redisStorage on $name', ({ launch }) => {
  it('works with createSentinel', async () => {
    const opening = openAll(async (keep) => {
      const primary = await launch(redisProgram)
      keep(primary.remove)
      const sentinel = await launch((installation) => sentinelProgram(installation, new URL(primary.url)))
      keep(sentinel.remove)
      return { host: '127.0.0.1', port: Number(new URL(sentinel.url).port) }
    })
    await withOpened(opening, ({ host, port }) =>
      use(createSentinel({ name: 'primary', sentinelRootNodes: [{ host, port }] })),
    )
  })
})
