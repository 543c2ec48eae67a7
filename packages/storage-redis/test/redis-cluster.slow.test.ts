import { redisStorage } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { limiterCases } from '@jwt-auth/test-support/limiter-cases'
import { expect, it } from 'vitest'
import { declareBehaviour } from './support/declare-behaviour.js'
import { declareConformance } from './support/declare-conformance.js'
import { findCluster, freshPrefix } from './support/redis-servers.js'

const cluster = await findCluster()
declareConformance(cluster)
declareBehaviour(cluster)

describeEach([cluster], 'the limiter of redisStorage on $name', ({ client }) => {
  const prefix = freshPrefix()

  for (const { title, run } of limiterCases) {
    it(title, () => run(redisStorage(client, { prefix }).limiter, redisStorage(client, { prefix }).limiter))
  }
})

describeEach([cluster], 'the schema marker on $name', ({ createStorage, countKeys }) => {
  it('is one key, and the status names the keys but no primary', async () => {
    const prefix = freshPrefix()
    const storage = createStorage(prefix)
    await Promise.all([storage.migrate(), storage.migrate()])
    const status = await storage.status()
    const store = expect.stringMatching(/^[0-9a-f]{40}\/\d{10}\.\d+$/)
    expect(status).toMatchObject({ isReady: true, primary: undefined, store })
    expect(await createStorage(prefix).status()).toEqual(status)
    expect((await countKeys(prefix)).filter((count) => count > 0)).toEqual([1])
  })
})
