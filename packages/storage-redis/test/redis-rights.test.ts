import { sampleSession } from '@jwt-auth/storage-conformance'
import { redisStorage } from '@jwt-auth/storage-redis'
import { findRedis } from '@jwt-auth/test-support'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestUser, deleteTestKeys, freshPrefix, readmeRights } from './support/redis-servers.js'

const server = await findRedis()
const optional = ['+info', '+ping']

// All other tests of one node run with exactly the rights of the README.
describeEach([server], 'the rights of the user on $name', ({ url }) => {
  const prefix = freshPrefix()
  const user = createTestUser(url)
  const client = createClient({ url: user.url })
  const storage = redisStorage(client, { prefix })
  const lists = 'names a right that the Redis user lacks, and the README of @jwt-auth/storage-redis has all of them'

  beforeAll(async () => {
    await user.allow(readmeRights)
    await client.on('error', () => {}).connect()
    await storage.migrate()
  })
  afterAll(async () => {
    await client.close()
    await user.remove()
    await deleteTestKeys(url)
  })

  it.each(readmeRights.filter((right) => !optional.includes(right)))(
    'without %s make the storage not ready, and the error names the command',
    async (right) => {
      await user.allow(readmeRights.filter((other) => other !== right))
      const status = await storage.status()
      expect(status).toMatchObject({ isReady: false, error: { code: 'NOPERM' } })
      expect(status).toHaveProperty(
        'error.message',
        expect.stringMatching(new RegExp(`no permissions to run the '${right.slice(1)}' command"; .* ${lists}$`, 'i')),
      )
    },
  )

  it.each(optional)('without %s leave the storage ready', async (right) => {
    await user.allow(readmeRights.filter((other) => other !== right))
    expect(await storage.status()).toMatchObject({ isReady: true })
  })

  it.each([
    ['+hset', 'ERR', "can't run this command or subcommand"],
    ['+evalsha', 'NOPERM', "no permissions to run the 'evalsha' command"],
  ])('without %s make a call fail with the words of Redis', async (right, code, words) => {
    await user.allow(readmeRights.filter((other) => other !== right))
    await expect(storage.create(sampleSession(1))).rejects.toThrow(
      `jwt-auth: redisStorage could not create a session (${code}): "${words}"; \`storage.status()\` ${lists}`,
    )
  })

  it('on other keys make a call fail with the words of Redis, and not with the key', async () => {
    await user.allow(readmeRights)
    const failure = redisStorage(client, { prefix: 'other:' }).create(sampleSession(1))
    await expect(failure).rejects.toThrow(/ \(NOPERM\): "no permissions to access [a-z ]+"; /)
  })
})
