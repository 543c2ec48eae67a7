import {
  conformanceCases,
  damageCases,
  failureCases,
  interruptionCases,
  sharingCases,
  waitingCases,
} from '@jwt-auth/storage-conformance'
import { redisStorage } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createClient } from 'redis'
import { afterAll, it } from 'vitest'
import { damageSessions } from './support/damage-sessions.js'
import { interruptClient } from './support/failing-client.js'
import { findRedisServers, freshPrefix } from './support/redis-servers.js'

const servers = await findRedisServers()
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

describeEach(servers, 'redis storage on $name', ({ client, createStorage, hold }) => {
  for (const { title, run } of conformanceCases) it(title, () => run(createStorage()))
  for (const { title, run } of failureCases) it(title, () => run(redisStorage(createClient())))
  for (const { title, run } of waitingCases) it(title, () => run(createStorage(), hold))
  for (const { title, run } of damageCases) {
    it(title, () => {
      const prefix = freshPrefix()
      return run(createStorage(prefix), damageSessions(client, prefix))
    })
  }
  for (const { title, run } of sharingCases) {
    it(title, () => {
      const prefix = freshPrefix()
      return run(createStorage(prefix), createStorage(prefix))
    })
  }
  for (const { title, run, moment } of interruptionCases) {
    it(title, () => {
      const prefix = freshPrefix()
      return run(redisStorage(interruptClient(client, moment), { prefix }), createStorage(prefix))
    })
  }
})
