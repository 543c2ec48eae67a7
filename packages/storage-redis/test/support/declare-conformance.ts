import { conformanceCases } from '@jwt-auth/storage-conformance'
import { redisStorage } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createClient } from 'redis'
import { afterAll, it } from 'vitest'
import { damageSessions } from './damage-sessions.js'
import { interruptClient } from './failing-client.js'
import { freshPrefix, type RedisServer } from './redis-servers.js'

/** Declares the conformance suite on a server. */
export const declareConformance = (server: RedisServer): void => {
  afterAll(server.stop)
  describeEach([server], 'redis storage on $name', ({ client, createStorage, hold }) => {
    const cases = conformanceCases({
      createStorage,
      createFailingStorage: () => redisStorage(createClient()),
      createInterruptedStorages: (moment) => {
        const prefix = freshPrefix()
        return [redisStorage(interruptClient(client, moment), { prefix }), createStorage(prefix)]
      },
      createHeldStorage: () => [createStorage(), hold],
      createSharedStorages: () => {
        const prefix = freshPrefix()
        return [createStorage(prefix), createStorage(prefix)]
      },
      createDamageableStorage: () => {
        const prefix = freshPrefix()
        return [createStorage(prefix), damageSessions(client, prefix)]
      },
    })
    for (const { title, run } of cases) it(title, run)
  })
}
