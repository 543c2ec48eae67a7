import { conformanceCases, failureCases, interruptionCases, sharingCases } from '@jwt-auth/storage-conformance'
import { redisStorage } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createClient } from 'redis'
import { afterAll, it } from 'vitest'
import { interruptClient } from './support/failing-client.js'
import { findRedisServers, freshPrefix } from './support/redis-servers.js'

const servers = await findRedisServers()
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

describeEach(servers, 'redis storage on $name', ({ client, createStorage }) => {
  it.each(conformanceCases)('$title', ({ run }) => run(createStorage()))
  it.each(failureCases)('$title', ({ run }) => run(redisStorage(createClient())))
  it.each(sharingCases)('$title', ({ run }) => {
    const prefix = freshPrefix()
    return run(createStorage(prefix), createStorage(prefix))
  })
  it.each(interruptionCases)('$title', ({ run, moment }) => {
    const prefix = freshPrefix()
    return run(redisStorage(interruptClient(client, moment), { prefix }), createStorage(prefix))
  })
})
