import { redisLimits } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createClient } from 'redis'
import { afterAll, describe, expect, it } from 'vitest'
import { findRedisServers, freshPrefix } from './support/redis-servers.js'

const tenAnHour = { keyPrefix: 'jwt_auth_test', points: 10, duration: 3_600 }
const state = (consumedPoints: number) => expect.objectContaining({ consumedPoints, msBeforeNext: expect.any(Number) })

const servers = await findRedisServers()
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

describeEach(servers, 'redisLimits on $name', ({ client, countKeys }) => {
  const prefix = freshPrefix()
  const limiter = redisLimits(client, { prefix })(tenAnHour)

  it('grants no more points than the limit to concurrent calls of two instances', async () => {
    const second = redisLimits(client, { prefix })(tenAnHour)
    const calls = Array.from({ length: 20 }, () => [limiter.consume('ann'), second.consume('ann')]).flat()
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10)
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? outcome.reason : []))
    expect(Math.max(...refusals.map(({ consumedPoints }) => consumedPoints))).toBe(40)
  })

  it('gives points back and takes points beyond the limit', async () => {
    await limiter.consume('bob', 4)
    expect(await limiter.reward('bob', 3)).toEqual(state(1))
    expect(await limiter.penalty('bob', 12)).toEqual(state(13))
    await expect(limiter.consume('bob')).rejects.toEqual(state(14))
  })

  it('returns null for an unknown key and a state for a known one', async () => {
    expect(await limiter.get('nobody')).toBeNull()
    await limiter.set('carol', 1, 60)
    expect(await limiter.get('carol')).toEqual(state(1))
  })

  it('starts the time of a key with the first call and does not extend it', async () => {
    const first = await limiter.consume('dora')
    const second = await limiter.consume('dora')
    expect(first.msBeforeNext).toBeGreaterThan(3_590_000)
    expect(second.msBeforeNext).toBeLessThanOrEqual(first.msBeforeNext)
  })

  it('keeps limits of other prefixes apart', async () => {
    await limiter.set('eve', 1, 60)
    expect(await redisLimits(client, { prefix })({ ...tenAnHour, keyPrefix: 'jwt_auth_other' }).get('eve')).toBeNull()
    expect(await redisLimits(client, { prefix: freshPrefix() })(tenAnHour).get('eve')).toBeNull()
  })

  it('writes all keys under the prefix', async () => {
    const own = freshPrefix()
    await redisLimits(client, { prefix: own })(tenAnHour).consume('fay')
    expect((await countKeys(own)).reduce((sum, count) => sum + count)).toBe(1)
  })
})

describe('redisLimits', () => {
  it('rejects with the fix while the client is not connected', async () => {
    const limiter = redisLimits(createClient())(tenAnHour)
    await expect(limiter.consume('ann')).rejects.toThrow(
      /limits failed \(ClientClosedError\): the client is not connected/,
    )
    await expect(limiter.get('ann')).rejects.toThrow(/ClientClosedError/)
  })

  it.each([undefined, {}, 'redis://'])('throws a TypeError for %o instead of a client', (value) => {
    // @ts-expect-error JavaScript passes such values.
    expect(() => redisLimits(value)).toThrow(new TypeError('redisLimits: client is no node-redis client.'))
  })
})
