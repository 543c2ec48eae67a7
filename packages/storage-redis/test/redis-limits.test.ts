import { redisStorage } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { hourly, limiterCases } from '@jwt-auth/test-support/limiter-cases'
import { createClient } from 'redis'
import { afterAll, describe, expect, it } from 'vitest'
import { findSingleNode, freshPrefix } from './support/redis-servers.js'

// redis-cluster.slow.test.ts has a cluster.
const server = await findSingleNode()
afterAll(server.stop)

const now = Date.now()

describeEach([server], 'the limiter of redisStorage on $name', ({ client, countKeys }) => {
  const prefix = freshPrefix()

  for (const { title, run } of limiterCases) {
    it(title, () => run(redisStorage(client, { prefix }).limiter, redisStorage(client, { prefix }).limiter))
  }

  it('keeps the counts of other prefixes apart', async () => {
    await redisStorage(client, { prefix }).limiter.reserve([hourly('ike')], { now })
    const { windows } = await redisStorage(client, { prefix: freshPrefix() }).limiter.reserve([hourly('ike')], { now })
    expect(windows).toMatchObject([{ count: 1 }])
  })

  it('writes all keys under the prefix, and lets the server delete them', async () => {
    const own = freshPrefix()
    const limiter = redisStorage(client, { prefix: own }).limiter
    const count = async () => (await countKeys(own)).reduce((sum, keys) => sum + keys)
    await limiter.reserve([{ key: 'jan', durationSeconds: 1 }], { now })
    await limiter.refund([], { now, mark: { key: 'kim', endsAt: now + 5 } })
    await expect.poll(count).toBe(0)
    await limiter.reserve([hourly('jan')], { now })
    await limiter.refund([], { now, mark: { key: 'kim', endsAt: now + 3_600_000 } })
    expect(await count()).toBe(2)
  })
})

describe('the limiter of redisStorage', () => {
  it('rejects with an instruction when the client is not connected', async () => {
    const limiter = redisStorage(createClient()).limiter
    const message =
      /^jwt-auth: redisStorage could not count an attempt \(ClientClosedError\); the client is not connected/
    await expect(limiter.reserve([hourly('ann')], { now })).rejects.toThrow(message)
    await expect(limiter.refund([{ key: 'ann', count: 1, endsAt: now }], { now })).rejects.toThrow(message)
  })
})
