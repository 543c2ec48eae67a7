import { redisLimits } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { limiterCases, tenAnHour } from '@jwt-auth/test-support/limiter-cases'
import { createClient } from 'redis'
import { afterAll, describe, expect, it } from 'vitest'
import { findRedisServers, freshPrefix } from './support/redis-servers.js'

const servers = await findRedisServers()
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

describeEach(servers, 'redisLimits on $name', ({ client, countKeys }) => {
  const prefix = freshPrefix()
  const limiter = redisLimits(client, { prefix })(tenAnHour)

  for (const { title, run } of limiterCases) {
    it(title, () => run(redisLimits(client, { prefix }), redisLimits(client, { prefix })))
  }

  it('keeps the counts of other prefixes apart', async () => {
    await limiter.set('fred', 1, 60)
    expect(await redisLimits(client, { prefix: freshPrefix() })(tenAnHour).get('fred')).toBeNull()
  })

  it('writes all keys under the prefix', async () => {
    const own = freshPrefix()
    await redisLimits(client, { prefix: own })(tenAnHour).consume('fay')
    expect((await countKeys(own)).reduce((sum, count) => sum + count)).toBe(1)
  })
})

describe('redisLimits', () => {
  it('rejects with an instruction when the client is not connected', async () => {
    const limiter = redisLimits(createClient())(tenAnHour)
    await expect(limiter.consume('ann')).rejects.toThrow(
      /^jwt-auth: redisLimits could not count \(ClientClosedError\); the client is not connected/,
    )
    await expect(limiter.get('ann')).rejects.toThrow(/ClientClosedError/)
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
