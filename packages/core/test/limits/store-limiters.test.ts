import { randomUUID } from 'node:crypto'
import { findDatabases, isListening } from '@jwt-auth/test-support'
import { RateLimiterPostgres, RateLimiterRedis } from 'rate-limiter-flexible'
import { createClient } from 'redis'
import { afterAll, describe, expect, it } from 'vitest'
import type { CreateLimiter } from '../../src/limits/limiter.js'
import { addressOf, createAttackedService, wrong } from '../support/login-attempts.js'
import { ann } from '../support/test-directory.js'

/** A limiter of rate-limiter-flexible over a real store. */
interface LimiterStore {
  readonly name: string
  readonly createLimiter: CreateLimiter
  readonly listKeys: () => Promise<readonly string[]>
  readonly stop: () => Promise<void>
}

const tableName = 'jwt_auth_limits'

const skip = (message: string): readonly LimiterStore[] => {
  if (process.env['CI'] !== undefined) throw new Error(message)
  process.stderr.write(`${message}\n`)
  return []
}

const openRedis = async (): Promise<readonly LimiterStore[]> => {
  const url = new URL(process.env['TEST_REDIS_URL'] ?? 'redis://127.0.0.1:6379')
  if (!(await isListening(url))) return skip(`Redis limiters are not tested: nothing listens at ${url.host}.`)
  const client = createClient({ url: url.href, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  const prefix = `test-${randomUUID()}`
  const listKeys = () => client.keys(`${prefix}:*`)
  return [
    {
      name: 'RateLimiterRedis',
      createLimiter: (options) =>
        new RateLimiterRedis({
          storeClient: client,
          useRedisPackage: true,
          ...options,
          keyPrefix: `${prefix}:${options.keyPrefix}`,
        }),
      listKeys,
      stop: async () => {
        const keys = await listKeys()
        if (keys.length > 0) await client.unlink(keys)
        await client.close()
      },
    },
  ]
}

const openPostgres = async (): Promise<readonly LimiterStore[]> => {
  const server = (await findDatabases()).find(({ name }) => name === 'PostgreSQL')
  if (server === undefined) return []
  const database = await server.createDatabase()
  const knex = database.connect()
  // Made beforehand, as the guide says: limiters that make one table at the same time fail.
  await knex.schema.createTable(tableName, (table) => {
    table.string('key', 255).primary()
    table.integer('points').notNullable().defaultTo(0)
    table.bigInteger('expire')
  })
  const table = { storeClient: knex, storeType: 'knex', tableName, tableCreated: true, clearExpiredByTimeout: false }
  return [
    {
      name: 'RateLimiterPostgres',
      createLimiter: (options) => new RateLimiterPostgres({ ...table, ...options }),
      listKeys: () => knex(tableName).pluck('key'),
      stop: () => database.drop(),
    },
  ]
}

const stores = [...(await openRedis()), ...(await openPostgres())]

afterAll(async () => {
  for (const { stop } of stores) await stop()
})

describe.each(stores.map((store) => [store.name, store] as const))('limits in %s', (_, store) => {
  /** Two instances of one service. */
  const startInstances = () => {
    const options = { rateLimits: { limiter: store.createLimiter, account: { points: 15, durationSeconds: 60 } } }
    return [createAttackedService(options), createAttackedService(options)] as const
  }

  it('let ten of 64 guesses at once through, over both instances together', async () => {
    const [one, other] = startInstances()
    const attempt = { from: addressOf(1), username: 'ann', password: wrong }
    const outcomes = await Promise.all(
      Array.from({ length: 32 }, () => [one.attempt(attempt), other.attempt(attempt)]).flat(),
    )
    expect(one.hashes() + other.hashes()).toBe(10)
    expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(10)
    expect(outcomes.find((outcome) => typeof outcome === 'object')).toMatchObject({
      throttled: expect.toSatisfy((seconds: number) => seconds > 10_700 && seconds <= 10_800),
    })
    expect([one.errors, other.errors]).toEqual([[], []])
  })

  it('let a known network in on every instance while strangers are refused', async () => {
    const [one, other] = startInstances()
    const bobs = { username: 'bob', password: 'battery staple' }
    expect(await one.attempt({ ...bobs, from: '192.0.2.1' })).toBe('in')
    for (let network = 10; network < 12; network += 1) await one.failFrom(addressOf(network), 10, 'bob')
    expect(await other.attempt({ ...bobs, from: addressOf(99) })).toMatchObject({ throttled: expect.any(Number) })
    expect(await other.attempt({ ...bobs, from: '192.0.2.1' })).toBe('in')
    expect([one.errors, other.errors]).toEqual([[], []])
  })

  it('stand under keys that hold no name and no address', async () => {
    const [one] = startInstances()
    await one.attempt({ from: '198.51.100.7', username: ann.nicename, password: ann.password })
    const keys = await store.listKeys()
    expect(keys.length).toBeGreaterThan(4)
    expect(keys.join()).not.toMatch(/ann|bob|198\.51|192\.0|10\.0\./)
  })
})
