import { inspect } from 'node:util'
import type { SessionStorage } from '@jwt-auth/core'
import { sampleSession, sampleUser } from '@jwt-auth/storage-conformance'
import { redisStorage } from '@jwt-auth/storage-redis'
import { describeEach } from '@jwt-auth/test-support/describe-each'
import { findRecords } from '@jwt-auth/test-support/find-records'
import { describe, expect, it } from 'vitest'
import { damageSessions } from './damage-sessions.js'
import { countScripts, failAtSessions, workAfterLists } from './failing-client.js'
import { freshPrefix, type RedisServer } from './redis-servers.js'

const session = sampleSession(1)
const ending = { endedAt: session.createdAt + 1, endReason: 'revoked' }
const setText = "return redis.call('SET', KEYS[1], ARGV[1])"
const setField = "return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])"
const readExpiry = "return redis.call('PEXPIRETIME', KEYS[1])"
const callers = Array.from({ length: 64 }, (_, number) => number)

/** Declares the tests of what only Redis does, on a server. */
export const declareBehaviour = (server: RedisServer): void =>
  describeEach([server], 'redis storage on $name', ({ name, client, createStorage, countKeys }) => {
    it('deletes each session once, with all of its keys', async () => {
      const prefix = freshPrefix()
      const storage = createStorage(prefix)
      await Promise.all(callers.map((number) => storage.create(sampleSession(number))))
      await storage.endAllForUser({ ...sampleUser(1), ...ending })
      expect(await storage.deleteExpired({ before: ending.endedAt - 1, limit: 100 })).toBe(0)
      expect(await storage.deleteExpired({ before: ending.endedAt, limit: 40 })).toBe(40)
      expect(await storage.deleteExpired({ before: ending.endedAt, limit: 40 })).toBe(24)
      expect((await countKeys(prefix)).reduce((sum, count) => sum + count)).toBe(0)
    })

    it('ends every session created before an instant while expired sessions are deleted', async () => {
      const prefix = freshPrefix()
      const purger = createStorage(prefix)
      const { issuer, createdAt } = session
      const expired = { createdAt, idleExpiresAt: createdAt + 1, absoluteExpiresAt: createdAt + 1 }
      const active = { createdAt: createdAt + 10 }
      const numbers = Array.from({ length: 300 }, (_, number) => number)
      // An index has many keys. These ids have the same one.
      const toId = (number: number): string => String.fromCharCode(300 + number, 20_000 - 31 * number)
      await Promise.all(
        numbers.map((number) =>
          purger.create(sampleSession(number, { id: toId(number), ...(number < 150 ? expired : active) })),
        ),
      )
      const storage = redisStorage(
        workAfterLists(client, () => purger.deleteExpired({ before: createdAt + 1, limit: 1_000 })),
        { prefix },
      )
      const ended = await storage.endCreatedBefore({
        issuer,
        createdBefore: createdAt + 11,
        limit: 1_000,
        endedAt: createdAt + 11,
        endReason: 'revoked',
      })
      expect(ended).toBe(150)
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

    it('causes no warning of Node when many sessions are found under one deadline', async () => {
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

    it('rejects when the signal aborts during a call', async () => {
      const controller = new AbortController()
      const result = createStorage().list(
        { ...sampleUser(1), activeAt: 0, limit: 1_000 },
        { signal: controller.signal },
      )
      controller.abort()
      await expect(result).rejects.toThrow("could not list a user's sessions (ABORT_ERR)")
    })

    it('rejects with the error code only when a key has another type', async () => {
      const prefix = freshPrefix()
      const key = `${prefix}session:${session.id}`
      await client.withCommandOptions({ typeMapping: {} }).eval(setText, { keys: [key], arguments: ['text'] })
      const failure = await createStorage(prefix)
        .end({ id: session.id, ...ending })
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
      const error = new TypeError(`jwt-auth: redisStorage could not read a session: the field ${field} ${fault}.`)
      const found = await storage.findByIds([session.id])
      expect(found).toEqual([{ id: session.id, error }])
      expect(inspect(found, { depth: null, showHidden: true })).not.toContain('never')
    })

    it.each(['dpopThumbprint', 'attributes'])(
      'cannot read a session that lost its %s, which restricts it',
      async (field) => {
        const prefix = freshPrefix()
        const storage = createStorage(prefix)
        await storage.create(session)
        const input = { keys: [`${prefix}session:${session.id}`], arguments: [field] }
        await client.withCommandOptions({ typeMapping: {} }).eval("return redis.call('HDEL', KEYS[1], ARGV[1])", input)
        expect(await storage.findByIds([session.id])).toEqual([{ id: session.id, error: expect.any(TypeError) }])
      },
    )

    describe.each([
      'user',
      'recentVerifiers',
      'createdAt',
      'rotatedAt',
      'lastUsedAt',
      'idleExpiresAt',
      'absoluteExpiresAt',
      'endedAt',
    ])('with a session whose field %s cannot be read', (field) => {
      const sessions = callers.slice(0, 8).map((number) => sampleSession(number))
      const damagedId = sampleSession(7).id
      const { issuer } = session

      const storeDamaged = async () => {
        const prefix = freshPrefix()
        const storage = createStorage(prefix)
        await Promise.all(sessions.map((each) => storage.create(each)))
        const repair = await damageSessions(client, prefix, field)(damagedId)
        return { storage, repair, prefix }
      }

      it.each<[string, (storage: SessionStorage) => Promise<unknown>]>([
        ['end', async (storage) => (await storage.end({ id: damagedId, ...ending })).outcome === 'ended' && 1],
        ['endAllForUser', (storage) => storage.endAllForUser({ ...sampleUser(1), ...ending })],
        [
          'endCreatedBefore',
          (storage) =>
            storage.endCreatedBefore({ issuer, createdBefore: session.createdAt + 99, limit: 99, ...ending }),
        ],
      ])('ends it with %s, also for the time after its repair', async (method, end) => {
        const { storage, repair } = await storeDamaged()
        expect(await end(storage)).toBe(method === 'end' ? 1 : sessions.length)
        expect(await end(storage)).toBe(method === 'end' ? false : 0)
        if (field !== 'endedAt') await repair()
        expect(await storage.findByIds([damagedId])).toEqual([{ ...sampleSession(7), ...ending }])
        expect(await storage.list({ ...sampleUser(1), activeAt: 0, limit: 99 })).toHaveLength(
          method === 'end' ? sessions.length - 1 : 0,
        )
      })

      it('lists it as unreadable, and purges it with the others', async () => {
        const { storage, prefix } = await storeDamaged()
        const listed = await storage.list({ ...sampleUser(1), activeAt: 0, limit: 99 })
        expect(listed).toHaveLength(sessions.length)
        expect(listed.at(-1)).toEqual({
          id: damagedId,
          error: new TypeError(
            `jwt-auth: redisStorage could not read a session: the field ${field} holds no ${
              field === 'user' || field === 'recentVerifiers' ? 'valid JSON' : 'whole number'
            }.`,
          ),
        })
        expect(await storage.deleteExpired({ before: session.absoluteExpiresAt + 86_400_000, limit: 99 })).toBe(
          sessions.length,
        )
        expect((await countKeys(prefix)).reduce((sum, count) => sum + count)).toBe(0)
      })
    })

    it('reads no ended session to list the active ones', async () => {
      const prefix = freshPrefix()
      const storage = createStorage(prefix)
      const sessions = callers.map((number) => sampleSession(number))
      await Promise.all(sessions.map((each) => storage.create(each)))
      await storage.endAllForUser({ ...sampleUser(1), ...ending })
      await storage.create(sampleSession(100))
      const scripts = countScripts(client)
      const listed = await redisStorage(scripts.client, { prefix }).list({ ...sampleUser(1), activeAt: 0, limit: 10 })
      expect([listed, scripts.count()]).toEqual([[sampleSession(100)], 2])
    })

    it('keeps the latest 10,000 ended sessions of a user in the index', async () => {
      const prefix = freshPrefix()
      const storage = createStorage(prefix)
      await storage.create(session)
      const keys = [`${prefix}ended:["${session.issuer}",1]`]
      const commands = client.withCommandOptions({ typeMapping: {} })
      await commands.eval(`for place = 1, 10000 do redis.call('ZADD', KEYS[1], place, 'id' .. place) end return 1`, {
        keys,
        arguments: [],
      })
      await storage.end({ id: session.id, ...ending })
      const read = "return {redis.call('ZCARD', KEYS[1]), redis.call('ZRANGE', KEYS[1], 0, 0)[1]}"
      expect(await commands.eval(read, { keys, arguments: [] })).toEqual([10_000, 'id2'])
      expect(await storage.list({ ...sampleUser(1), limit: 10 })).toEqual([{ ...session, ...ending }])
    })

    it('ends the other sessions before it rejects when the key of a session has another type', async () => {
      const prefix = freshPrefix()
      const storage = createStorage(prefix)
      const sessions = callers.map((number) => sampleSession(number))
      await Promise.all(sessions.map((each) => storage.create(each)))
      const keys = [`${prefix}session:${sampleSession(63).id}`]
      await client.withCommandOptions({ typeMapping: {} }).eval(setText, { keys, arguments: ['text'] })
      await expect(storage.endAllForUser({ ...sampleUser(1), ...ending })).rejects.toMatchObject({ code: 'WRONGTYPE' })
      const others = await findRecords(
        storage,
        sessions.slice(0, 63).map(({ id }) => id),
      )
      expect(others.filter(({ endedAt }) => endedAt === ending.endedAt)).toHaveLength(63)
    })

    it('expires a session on the server a day after its absolute expiry, to the millisecond', async () => {
      const prefix = freshPrefix()
      await createStorage(prefix).create(session)
      const keys = [`${prefix}session:${session.id}`]
      const expiry = await client.withCommandOptions({ typeMapping: {} }).eval(readExpiry, { keys, arguments: [] })
      expect(expiry).toBe(session.absoluteExpiresAt + 86_400_000)
    })

    it('deletes the index entries of an interrupted creation, which then cannot continue', async () => {
      const prefix = freshPrefix()
      const storage = createStorage(prefix)
      await expect(redisStorage(failAtSessions(client), { prefix }).create(session)).rejects.toThrow('ECONNRESET')
      expect(await countKeys(`${prefix}selector:`)).toContain(1)
      expect(await storage.list({ ...sampleUser(1), activeAt: 0, limit: 1_000 })).toEqual([])
      expect(await storage.deleteExpired({ before: session.idleExpiresAt, limit: 10 })).toBe(0)
      expect((await countKeys(prefix)).filter((count) => count > 0)).toEqual([1])
      await expect(storage.create(session)).rejects.toThrow('could not create a session (TAKEN)')
      expect(await storage.findByIds([session.id])).toEqual([])
    })
  })
