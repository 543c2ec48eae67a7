import { inspect } from 'node:util'
import { sampleSession, sampleUser } from '@jwt-auth/storage-conformance'
import { redisStorage } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { createClient, createClientPool, createCluster } from 'redis'
import { afterAll, describe, expect, it } from 'vitest'
import { failAtSessions, workAfterLists } from './support/failing-client.js'
import { findRedisServers, freshPrefix } from './support/redis-servers.js'

const servers = await findRedisServers()
afterAll(() => Promise.all(servers.map(({ stop }) => stop())))

const session = sampleSession(1)
const ending = { endedAt: session.createdAt + 1, endReason: 'revoked' }
const setText = "return redis.call('SET', KEYS[1], ARGV[1])"
const setField = "return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])"
const readExpiry = "return redis.call('PEXPIRETIME', KEYS[1])"
const callers = Array.from({ length: 64 }, (_, number) => number)

describeEach(servers, 'redis storage on $name', ({ name, client, createStorage, countKeys }) => {
  it('lets one of 64 creations with one selector hash win, and leaves nothing of the others', async () => {
    const storage = createStorage()
    const sessions = callers.map((number) => sampleSession(number, { selectorHash: 'one' }))
    const outcomes = await Promise.allSettled(sessions.map((each) => storage.create(each)))
    const [winner, ...others] = sessions.filter((_, place) => outcomes[place]?.status === 'fulfilled')
    expect(others).toEqual([])
    expect(await storage.findBySelectorHash('one')).toEqual(winner)
    expect(await storage.findByIds(sessions.map(({ id }) => id))).toEqual([winner])
  })

  it('lets one of 64 creations with one id win, and frees the selector hashes of the others', async () => {
    const storage = createStorage()
    const sessions = callers.map((number) => sampleSession(number, { id: 'one', userId: number }))
    const outcomes = await Promise.allSettled(sessions.map((each) => storage.create(each)))
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const losers = callers.filter((number) => number !== winner)
    await Promise.all(losers.map((number) => storage.create(sampleSession(number))))
    expect(await storage.endAllForUser(sampleUser(1), ending)).toBe(winner === 1 ? 64 : 63)
    expect(await storage.findByIds(['one'])).toEqual([{ ...sessions[winner], ...(winner === 1 && ending) }])
  })

  it('lets one of 64 rotations and ends win each, and the end stays', async () => {
    const storage = createStorage()
    await storage.create(session)
    const rotation = { ...session, sessionId: session.id, expectedVerifierHash: session.verifierHash }
    const rotated = await Promise.all(
      callers.map((number) => storage.rotate({ ...rotation, verifierHash: `${number}` })),
    )
    expect(rotated.filter((outcome) => outcome === 'rotated')).toHaveLength(1)
    const ended = await Promise.all(
      callers.map((number) => storage.end(session.id, { ...ending, endReason: `${number}` })),
    )
    expect(ended.filter(({ outcome }) => outcome === 'ended')).toHaveLength(1)
    expect(await storage.rotate({ ...rotation, expectedVerifierHash: `${rotated.indexOf('rotated')}` })).toBe('stale')
  })

  it('counts each ended session once among callers that end all of a user', async () => {
    const storage = createStorage()
    await Promise.all(callers.map((number) => storage.create(sampleSession(number))))
    const counts = await Promise.all(callers.slice(0, 8).map(() => storage.endAllForUser(sampleUser(1), ending)))
    expect(counts.reduce((sum, count) => sum + count)).toBe(64)
  })

  it('deletes a session once among callers, and every key with it', async () => {
    const prefix = freshPrefix()
    const storage = createStorage(prefix)
    await Promise.all(callers.map((number) => storage.create(sampleSession(number))))
    await storage.endAllForUser(sampleUser(1), ending)
    expect(await storage.deleteExpired(ending.endedAt - 1, 100)).toBe(0)
    expect(await storage.deleteExpired(ending.endedAt, 40)).toBe(40)
    expect(await storage.deleteExpired(ending.endedAt, 40)).toBe(24)
    expect((await countKeys(prefix)).reduce((sum, count) => sum + count)).toBe(0)
  })

  it('ends every session created before an instant, although expired sessions are deleted meanwhile', async () => {
    const prefix = freshPrefix()
    const purger = createStorage(prefix)
    const { issuer, createdAt } = session
    const expired = { createdAt, idleExpiresAt: createdAt + 1, absoluteExpiresAt: createdAt + 1 }
    const active = { createdAt: createdAt + 10 }
    const numbers = Array.from({ length: 300 }, (_, number) => number)
    // An index has many keys. These ids have the same one.
    const toId = (number: number): string => String.fromCharCode(300 + number, 20_000 - 31 * number)
    for (const number of numbers) {
      const isExpired = number < 150
      await purger.create(sampleSession(number, { id: toId(number), ...(isExpired ? expired : active) }))
    }
    const storage = redisStorage(
      workAfterLists(client, () => purger.deleteExpired(createdAt + 1, 1_000)),
      { prefix },
    )
    const ended = await storage.endCreatedBefore(
      { issuer, createdBefore: createdAt + 11, limit: 1_000 },
      { endedAt: createdAt + 11, endReason: 'revoked' },
    )
    expect(ended).toBe(150)
  })

  it('follows an idle expiry that a rotation moves in either direction', async () => {
    const storage = createStorage()
    const { id, verifierHash, idleExpiresAt } = session
    await storage.create(session)
    const rotation = { ...session, sessionId: id, expectedVerifierHash: verifierHash }
    await storage.rotate({ ...rotation, idleExpiresAt: idleExpiresAt + 10 })
    expect(await storage.deleteExpired(idleExpiresAt, 10)).toBe(0)
    await storage.rotate({ ...rotation, idleExpiresAt: idleExpiresAt - 10 })
    expect(await storage.deleteExpired(idleExpiresAt - 10, 10)).toBe(1)
  })

  it('spreads 200 sessions over all nodes', async () => {
    const prefix = freshPrefix()
    const storage = createStorage(prefix)
    const sessions = Array.from({ length: 200 }, (_, number) => sampleSession(number))
    await Promise.all(sessions.map((each) => storage.create(each)))
    const counts = await countKeys(`${prefix}session:`)
    expect(counts).toHaveLength(name === 'one node' ? 1 : 3)
    expect(counts.every((count) => count > 0)).toBe(true)
    expect(await storage.findByIds(sessions.map(({ id }) => id))).toHaveLength(200)
  })

  it('lets Node warn of no leak when many sessions are found under one deadline', async () => {
    const warnings: unknown[] = []
    const note = (warning: Error): unknown => warnings.push(warning.name)
    process.on('warning', note)
    const { signal } = new AbortController()
    await createStorage().findByIds(
      callers.map((number) => `${number}`),
      { signal },
    )
    process.off('warning', note)
    expect(warnings).toEqual([])
  })

  it('sends nothing once the signal is aborted', async () => {
    const storage = createStorage()
    await expect(storage.create(session, { signal: AbortSignal.abort() })).rejects.toThrow(
      'could not create a session (ABORT_ERR)',
    )
    expect(await storage.findByIds([session.id])).toEqual([])
    await expect(storage.findByIds([], { signal: AbortSignal.abort() })).rejects.toThrow('ABORT_ERR')
  })

  it('rejects when the signal is aborted while an answer is awaited', async () => {
    const controller = new AbortController()
    const answer = createStorage().listActive(sampleUser(1), { now: 0, limit: 1_000 }, { signal: controller.signal })
    controller.abort()
    await expect(answer).rejects.toThrow("could not list a user's sessions (ABORT_ERR)")
  })

  it('tells of a key of another type by its error code alone', async () => {
    const prefix = freshPrefix()
    const key = `${prefix}session:${session.id}`
    await client.withCommandOptions({ typeMapping: {} }).eval(setText, { keys: [key], arguments: ['text'] })
    const failure = await createStorage(prefix)
      .end(session.id, ending)
      .catch((error: unknown) => error)
    const message = 'jwt-auth: redisStorage could not end a session (WRONGTYPE)'
    expect(failure).toEqual(Object.assign(new Error(message), { code: 'WRONGTYPE' }))
  })

  it.each([
    ['recentVerifiers', 'never-print-this', 'holds no valid JSON'],
    ['recentVerifiers', '["never-print-this"]', 'holds an unknown value'],
    ['user', 'never-print-this', 'holds no valid JSON'],
    ['user', '["never-print-this"]', 'holds an unknown value'],
    ['rotatedAt', 'never-print-this', 'holds no whole number'],
  ])('names the field %s that holds %s, and repeats nothing of it', async (field, text, fault) => {
    const prefix = freshPrefix()
    const storage = createStorage(prefix)
    await storage.create(session)
    const input = { keys: [`${prefix}session:${session.id}`], arguments: [field, text] }
    await client.withCommandOptions({ typeMapping: {} }).eval(setField, input)
    const failure = await Promise.resolve(storage.findByIds([session.id])).catch((error: unknown) => error)
    expect(failure).toEqual(
      new TypeError(`jwt-auth: redisStorage could not read a session: the field ${field} ${fault}.`),
    )
    expect(inspect(failure, { depth: null, showHidden: true })).not.toContain('never')
  })

  it('lets the server drop a session a day after its absolute expiry, to the millisecond', async () => {
    const prefix = freshPrefix()
    await createStorage(prefix).create(session)
    const keys = [`${prefix}session:${session.id}`]
    const expiry = await client.withCommandOptions({ typeMapping: {} }).eval(readExpiry, { keys, arguments: [] })
    expect(expiry).toBe(session.absoluteExpiresAt + 86_400_000)
  })

  it('cleans the indexes of a creation that broke off, which then cannot go on', async () => {
    const prefix = freshPrefix()
    const storage = createStorage(prefix)
    await expect(redisStorage(failAtSessions(client), { prefix }).create(session)).rejects.toThrow('ECONNRESET')
    expect(await countKeys(`${prefix}selector:`)).toContain(1)
    expect(await storage.listActive(sampleUser(1), { now: 0, limit: 1_000 })).toEqual([])
    expect(await storage.deleteExpired(session.idleExpiresAt, 10)).toBe(0)
    expect((await countKeys(prefix)).filter((count) => count > 0)).toEqual([1])
    await expect(storage.create(session)).rejects.toThrow('could not create a session (TAKEN)')
    expect(await storage.findByIds([session.id])).toEqual([])
  })
})

describe('redisStorage', () => {
  it.each([
    ['createClient()', createClient()],
    ['createClientPool()', createClientPool()],
    ['createCluster()', createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:6379' }] })],
  ])('names the missing connection and the fix for a %s that was never connected', async (_, client) => {
    const answer = redisStorage(client).findByIds(['id'])
    await expect(answer).rejects.toMatchObject({
      message:
        'jwt-auth: redisStorage could not find sessions (ClientClosedError); the client is not connected: call `await client.connect()` before the first request, and close the client after `await auth.close()`',
      code: 'ClientClosedError',
    })
  })

  it('names a connection that is lost, for a client that queues nothing', async () => {
    const client = createClient({ url: 'redis://127.0.0.1:1', disableOfflineQueue: true })
    client.on('error', () => {})
    const connected = client.connect().catch(() => {})
    await expect(redisStorage(client).findByIds(['id'])).rejects.toThrow('the client has lost its connection')
    client.destroy()
    await connected
  })

  it('wants lookups in batches on one node, and each alone on a cluster', () => {
    expect(redisStorage(createClient()).needsNoBatching).toBe(false)
    expect(redisStorage(createClientPool()).needsNoBatching).toBe(false)
    const rootNodes = [{ url: 'redis://127.0.0.1:6379' }]
    expect(redisStorage(createCluster({ rootNodes })).needsNoBatching).toBe(true)
  })

  it('refuses a client without command options', () => {
    const client = { withCommandOptions: undefined }
    // @ts-expect-error what a caller without types may hand in
    expect(() => redisStorage(client)).toThrow(
      new TypeError('jwt-auth: redisStorage must be given a node-redis client.'),
    )
  })

  it.each([
    [{ prefx: 'a:' }, 'jwt-auth: redisStorage has no option `prefx`'],
    [{ prefix: 1 }, 'jwt-auth: option `prefix` must be text'],
  ])('refuses the options %o', (options, message) => {
    expect(() => Reflect.apply(redisStorage, undefined, [createClient(), options])).toThrow(message)
  })
})
