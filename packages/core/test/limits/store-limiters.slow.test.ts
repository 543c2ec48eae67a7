import { randomBytes, randomUUID } from 'node:crypto'
import { knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { findDatabases, findRedis, type Prerequisite, shortenRefusalDelays } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createClient } from 'redis'
import { afterAll, expect, it } from 'vitest'
import type { SessionStorage } from '../../src/ports/session-storage.js'
import { addressOf, createAttackedService, wrong } from '../support/login-attempts.js'

/** Sessions and counts in a store that several instances share. */
interface LimiterStore extends Prerequisite {
  /** Creates the storage of one more instance, over a connection of its own. */
  readonly connect: () => SessionStorage
  readonly listKeys: () => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

const missingStore = (name: string, missing: string): LimiterStore => ({
  name,
  missing,
  connect: () => expect.unreachable(missing),
  listKeys: async () => [],
  stop: async () => {},
})

const openRedis = async (): Promise<LimiterStore> => {
  const name = 'Redis'
  const { url, missing } = await findRedis()
  if (missing !== undefined) return missingStore(name, missing)
  const client = createClient({ url: url.href, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  const prefix = `test-${randomUUID()}:`
  await redisStorage(client, { prefix }).migrate()
  return {
    name,
    connect: () => redisStorage(client, { prefix }),
    listKeys: () => client.keys(`${prefix}limits:*`),
    stop: async () => {
      const keys = await client.keys(`${prefix}*`)
      if (keys.length > 0) await client.unlink(keys)
      await client.close()
    },
  }
}

const openDatabase = async (server: Awaited<ReturnType<typeof findDatabases>>[number]): Promise<LimiterStore> => {
  if (server.missing !== undefined) return missingStore(server.name, server.missing)
  const database = await server.createDatabase()
  const knex = database.connect()
  await knexStorage(knex).migrate()
  return {
    name: server.name,
    connect: () => knexStorage(database.connect()),
    listKeys: () => knex('jwt_auth_sessions_limits').pluck('id'),
    stop: () => database.drop(),
  }
}

const stores = [await openRedis(), ...(await Promise.all((await findDatabases()).map(openDatabase)))]

afterAll(async () => {
  for (const { stop } of stores) await stop()
})

describeEach(stores, 'limits in $name', (store) => {
  /** Two instances of one service, which count where the sessions are by default. */
  const startInstances = () => {
    const start = () =>
      createAttackedService({
        storage: store.connect(),
        rateLimits: { account: { points: 10, durationSeconds: 60 } },
        // Counts in a store take longer than a turn of the event loop.
        // The instances share a storage, so their sessions need different ids.
        system: { ...createTestSystem(), randomBytes, startTimer: shortenRefusalDelays },
        // A busy machine must not make this process count in memory.
        callTimeoutMs: 60_000,
      })
    return [start(), start()] as const
  }

  it('allow ten of 64 concurrent guesses on two instances together', async () => {
    const [one, other] = startInstances()
    const attempt = { from: addressOf(1), username: 'ann', password: wrong }
    const outcomes = await Promise.all(
      Array.from({ length: 32 }, () => [one.attempt(attempt), other.attempt(attempt)]).flat(),
    )
    expect(one.guesses() + other.guesses()).toBe(10)
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(10)
    expect(outcomes.find((outcome) => typeof outcome === 'object')).toMatchObject({
      throttled: expect.toSatisfy((seconds: number) => seconds > 10_700 && seconds <= 10_800),
    })
    expect([one.errors, other.errors]).toEqual([[], []])
  })

  it('allow a known network on every instance while unknown networks are refused', async () => {
    const [one, other] = startInstances()
    const bobs = { username: 'bob', password: 'battery staple' }
    expect(await one.attempt({ ...bobs, from: '192.0.2.1' })).toBe('in')
    await one.failFrom(addressOf(10), 10, 'bob')
    expect(await other.attempt({ ...bobs, from: addressOf(99) })).toMatchObject({ throttled: expect.any(Number) })
    expect(await other.attempt({ ...bobs, from: '192.0.2.1' })).toBe('in')
    expect([one.errors, other.errors]).toEqual([[], []])
  })

  it('have keys that contain no name and no address', async () => {
    const [one] = startInstances()
    await one.attempt({ from: '198.51.100.7', username: ann.nicename, password: ann.password })
    const keys = await store.listKeys()
    expect(keys.length).toBeGreaterThan(4)
    expect(keys.join()).not.toMatch(/ann|bob|198\.51|192\.0|10\.0\./)
  })
})

const lockLimits = {
  PostgreSQL: 'lock table jwt_auth_sessions_limits in access exclusive mode',
  MariaDB: 'select * from jwt_auth_sessions_limits for update',
}

const servers = (await findDatabases()).flatMap((server) => (server.name === 'SQLite' ? [] : [server]))

describeEach(servers, 'a flood of logins while $name is slow to count', ({ name, createDatabase }) => {
  it('leaves connections of the pool to guarded requests', async () => {
    const database = await createDatabase()
    const knex = database.connect({ min: 0, max: 10 })
    const storage = knexStorage(knex)
    await storage.migrate()
    const { service, attempt } = createAttackedService({
      storage,
      system: { ...createTestSystem(), startTimer: shortenRefusalDelays },
    })
    const { accessToken } = await service.sessions.create(1)
    const lock = await database.connect().transaction()
    await lock.raw(lockLimits[name === 'PostgreSQL' ? name : 'MariaDB'])
    const flood = Array.from({ length: 40 }, (_, number) => attempt({ from: addressOf(number), password: wrong }))
    await expect.poll(() => knex.client.pool.numUsed()).toBe(4)
    expect(await service.authorize(accessToken)).toMatchObject({ userId: 1 })
    expect(knex.client.pool.numUsed()).toBe(4)
    await lock.rollback()
    expect(await Promise.all(flood)).toEqual(Array(40).fill('wrong'))
    await database.drop()
  })
})
