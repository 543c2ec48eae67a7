import { redisLimits } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { hourly, limiterCases } from '@jwt-auth/test-support/limiter-cases'
import { createClient } from 'redis'
import { afterAll, describe, expect, it } from 'vitest'
import { findRedisServers, freshPrefix } from './support/redis-servers.js'

const servers = await findRedisServers()
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

const now = Date.now()

describeEach(servers, 'redisLimits on $name', ({ client, countKeys }) => {
  const prefix = freshPrefix()

  for (const { title, run } of limiterCases) {
    it(title, () => run(redisLimits(client, { prefix }), redisLimits(client, { prefix })))
  }

  it('keeps the counts of other prefixes apart', async () => {
    await redisLimits(client, { prefix }).reserve([hourly('ike')], { now })
    const { windows } = await redisLimits(client, { prefix: freshPrefix() }).reserve([hourly('ike')], { now })
    expect(windows).toMatchObject([{ count: 1 }])
  })

  it('writes all keys under the prefix, and lets the server delete them', async () => {
    const own = freshPrefix()
    const limiter = redisLimits(client, { prefix: own })
    const count = async () => (await countKeys(own)).reduce((sum, keys) => sum + keys)
    await limiter.reserve([{ key: 'jan', windowMs: 5 }], { now })
    await limiter.refund([], { now, mark: { key: 'kim', endsAt: now + 5 } })
    await expect.poll(count).toBe(0)
    await limiter.reserve([hourly('jan')], { now })
    await limiter.refund([], { now, mark: { key: 'kim', endsAt: now + 3_600_000 } })
    expect(await count()).toBe(2)
  })
})

describe('redisLimits', () => {
  it('rejects with an instruction when the client is not connected', async () => {
    const limiter = redisLimits(createClient())
    const message =
      /^jwt-auth: redisStorage could not count an attempt \(ClientClosedError\); the client is not connected/
    await expect(limiter.reserve([hourly('ann')], { now })).rejects.toThrow(message)
    await expect(limiter.refund([{ key: 'ann', count: 1, endsAt: now }], { now })).rejects.toThrow(message)
  })

  it.each<[string, unknown]>([
    ['no value', undefined],
    ['an object', {}],
    ['a URL', 'redis://'],
  ])('throws a TypeError for %s instead of a client', (_, value) => {
    // @ts-expect-error JavaScript passes such values.
    expect(() => redisLimits(value)).toThrow(
      /^jwt-auth: redisLimits must be given a client of the package `redis` \(node-redis\); /,
    )
  })
})
