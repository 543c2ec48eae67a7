import { memoryStorage } from '@jwt-auth/storage-memory'
import { createCallGate } from '@jwt-auth/test-support/call-gate'
import { createTestService, testIssuer } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { AuthEvent } from '../../src/events/auth-event.js'
import {
  type FoundSession,
  maxSessionsInList,
  type SessionFilter,
  type SessionStorage,
} from '../../src/ports/session-storage.js'

describe('a limit of active sessions', () => {
  it('ends the least recently used session with the reason of the limit', async () => {
    const events: AuthEvent[] = []
    const { login, service, system, storage } = createTestService({
      maxSessionsPerUser: 2,
      onEvent: (event) => events.push(event),
    })
    const first = await login()
    system.advance(1_000)
    const second = await login()
    system.advance(1_000)
    await service.refresh(first.refreshToken)
    system.advance(1_000)
    const third = await login()

    const active = await service.sessions.list(1)
    expect(active.map(({ id }) => id)).toEqual([third.sessionId, first.sessionId])
    expect(await storage.findByIds([second.sessionId])).toMatchObject([{ endReason: 'session_limit' }])
    expect(events.filter(({ type }) => type === 'session_ended')).toMatchObject([
      { sessionId: second.sessionId, reason: 'session_limit' },
    ])
  })

  it('applies to concurrent logins, of which one keeps its session', async () => {
    const { login, service } = createTestService({ maxSessionsPerUser: 1, rateLimits: false })
    await Promise.all(Array.from({ length: 8 }, () => login()))
    expect(await service.sessions.list(1)).toHaveLength(1)
  })

  it.each(['list', 'end'] as const)(
    'lets a login succeed whose old sessions cannot be found or ended (%s), reports it, and applies to the next login',
    async (method) => {
      const gate = createCallGate(memoryStorage({ quiet: true }))
      const { login, service, system, errors } = createTestService({ storage: gate.port, maxSessionsPerUser: 1 })
      await login()
      system.advance(1_000)
      gate.fail(new Error('connection lost'), method)
      await login()
      expect(errors).toMatchObject([{ code: 'jwt_auth_unavailable' }])
      gate.open(method)
      system.advance(1_000)
      const third = await login()
      expect((await service.sessions.list(1)).map(({ id }) => id)).toEqual([third.sessionId])
    },
  )

  it('applies to the other sessions when one cannot be read, and each login reports that one', async () => {
    const memory = memoryStorage({ quiet: true })
    const error = new TypeError('the field rotatedAt holds no whole number')
    const storage: SessionStorage = {
      ...memory,
      list: async (...args) => [{ id: 'damaged', error }, ...(await memory.list(...args))],
    }
    const { login, service, system, errors } = createTestService({ storage, maxSessionsPerUser: 1 })
    await login()
    system.advance(1_000)
    const { sessionId } = await login()
    const report = { code: 'jwt_auth_unavailable', detail: 'storage failed for session damaged', cause: error }
    expect(errors).toMatchObject([report, report])
    expect((await service.sessions.list(1)).map(({ id }) => id)).toEqual([sessionId])
  })

  it.each([
    ['in their order', (sessions: readonly FoundSession[]) => [...sessions]],
    ['in the reverse order', (sessions: readonly FoundSession[]) => sessions.toReversed()],
  ])('ends the same sessions of one millisecond when storage lists them %s', async (_, order) => {
    const storage = memoryStorage({ quiet: true })
    const { service: unlimited, system } = createTestService({ storage })
    const ids: string[] = []
    for (let count = 0; count < 6; count += 1) ids.push((await unlimited.sessions.create(1)).sessionId)

    const list: typeof storage.list = async (...args) => order(await storage.list(...args))
    const limits = { storage: { ...storage, list }, system, maxSessionsPerUser: 3 }
    const { login, service } = createTestService(limits)
    system.advance(1)
    const { sessionId } = await login()

    const active = (await service.sessions.list(1)).map(({ id }) => id)
    expect(active.toSorted()).toEqual([sessionId, ...ids.toSorted().slice(0, 2)].toSorted())
  })

  it('asks the storage for the most sessions that the port allows when it is the highest limit', async () => {
    const memory = memoryStorage({ quiet: true })
    const filters: SessionFilter[] = []
    const storage: SessionStorage = {
      ...memory,
      list: (filter, options) => {
        filters.push(filter)
        return memory.list(filter, options)
      },
    }
    const { login, service, system } = createTestService({ storage, maxSessionsPerUser: 1_000 })
    await login()
    await service.sessions.list(1)
    const activeAt = system.now()
    expect(filters).toEqual([
      { issuer: testIssuer, userId: 1, activeAt, limit: maxSessionsInList },
      { issuer: testIssuer, userId: 1, activeAt, limit: 1_000 },
    ])
  })

  it('is 50 unless the application sets another', async () => {
    const { login, service } = createTestService()
    for (let count = 0; count < 52; count += 1) await login()
    expect(await service.sessions.list(1)).toHaveLength(50)
  })

  it('ends at most 100 sessions at a login, ten at a time', async () => {
    const memory = memoryStorage({ quiet: true })
    const { service, system } = createTestService({ storage: memory, maxSessionsPerUser: 1_000 })
    for (let count = 0; count < 200; count += 1) await service.sessions.create(1)
    let inProgress = 0
    const seen: number[] = []
    const end: SessionStorage['end'] = async (...args) => {
      inProgress += 1
      seen.push(inProgress)
      return memory.end(...args).finally(() => {
        inProgress -= 1
      })
    }
    const { login } = createTestService({ system, storage: { ...memory, end }, maxSessionsPerUser: 1 })
    await login()
    expect([seen.length, Math.max(...seen)]).toEqual([100, 10])
  })
})
