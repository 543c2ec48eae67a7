import { memoryStorage } from '@jwt-auth/storage-memory'
import { createCallGate } from '@jwt-auth/test-support/call-gate'
import { nextTurn } from '@jwt-auth/test-support/next-turn'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { createTestSystem } from '@jwt-auth/test-support/test-system'
import { describe, expect, it } from 'vitest'
import type { AuthError } from '../../src/errors/auth-error.js'

const day = 24 * 3_600_000

/** A service whose storage has a number of sessions to delete, and the limits of the batches that storage received. */
const createFullService = (sessions: number) => {
  let left = sessions
  const limits: number[] = []
  const { service } = createTestService({
    storage: {
      ...memoryStorage({ quiet: true }),
      deleteExpired: async (_, limit) => {
        limits.push(limit)
        const deleted = Math.min(left, limit)
        left -= deleted
        return deleted
      },
    },
  })
  return { service, limits }
}

describe('a purge', () => {
  const accessTokenLifetimeSeconds = 600
  const lastTokenMs = accessTokenLifetimeSeconds * 1_000

  it.each([
    ['has reached its idle expiry', { sessionIdleTimeoutSeconds: 1_000 }],
    ['has reached its absolute expiry', { sessionAbsoluteTimeoutSeconds: 1_000 }],
  ])('deletes a session that %s a day after its last token', async (_, options) => {
    const { service, storage, system } = createTestService({ accessTokenLifetimeSeconds, ...options })
    const { sessionId } = await service.sessions.create(1)
    system.advance(1_000_000 + lastTokenMs + day - 1)
    expect(await service.sessions.purge()).toBe(0)
    expect(await storage.findByIds([sessionId])).toHaveLength(1)
    system.advance(1)
    expect(await service.sessions.purge()).toBe(1)
    expect(await storage.findByIds([sessionId])).toEqual([])
  })

  it('deletes a revoked session a day after its last token, so that a second revocation is reported until then', async () => {
    const { service, storage, system } = createTestService({ accessTokenLifetimeSeconds })
    const { sessionId, accessToken } = await service.sessions.create(1)
    await service.revoke(accessToken)
    system.advance(lastTokenMs - 1)
    expect(await service.sessions.purge()).toBe(0)
    expect(await outcomeOf(service.revoke(accessToken))).toBe('jwt_auth_token_already_revoked')
    system.advance(day)
    expect(await service.sessions.purge()).toBe(0)
    expect(await storage.findByIds([sessionId])).toHaveLength(1)
    system.advance(1)
    expect(await service.sessions.purge()).toBe(1)
    expect(await service.sessions.purge()).toBe(0)
  })

  it('never deletes an active session of any age', async () => {
    const { service, system } = createTestService({
      sessionIdleTimeoutSeconds: 315_360_000,
      sessionAbsoluteTimeoutSeconds: 315_360_000,
    })
    await service.sessions.create(1)
    system.advance(3_649 * day)
    expect(await service.sessions.purge()).toBe(0)
    expect(await service.sessions.list(1)).toHaveLength(1)
  })

  it.each([
    [0, 1],
    [99, 1],
    [100, 2],
    [101, 2],
    [240, 3],
  ])('deletes %i sessions in %i batches', async (sessions, batches) => {
    const { service, limits } = createFullService(sessions)
    expect(await service.sessions.purge()).toBe(sessions)
    expect(limits).toEqual(Array.from({ length: batches }, () => 100))
  })

  it('waits for a turn of the event loop between two batches, also when storage resolves immediately', async () => {
    const { service } = createFullService(350)
    let turns = 0
    const count = (): void => {
      turns += 1
      if (turns < 10) setImmediate(count)
    }
    setImmediate(count)
    await service.sessions.purge()
    expect(turns).toBe(3)
  })

  it('stops after the batch in flight when the service closes, and resolves to the number of deleted sessions', async () => {
    const { service, limits } = createFullService(1_000_000)
    const purged = service.sessions.purge()
    await service.close()
    expect(await purged).toBe(100)
    expect(limits).toEqual([100])
  })

  it('starts no further batch when the service closes between two batches', async () => {
    const { service, limits } = createFullService(1_000_000)
    const purged = service.sessions.purge()
    while (limits.length < 1) await Promise.resolve()
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    const started = limits.length
    await service.close()
    await purged
    expect(limits).toHaveLength(started)
  })
})

describe('a batch of a purge', () => {
  it.each([1, 10_000])('may be %i sessions', async (batch) => {
    const { service } = createTestService()
    expect(await service.sessions.purge({ batch })).toBe(0)
  })

  it.each([0, 10_001, 1.5])('may not be %d sessions', async (batch) => {
    const { service } = createTestService()
    await expect(service.sessions.purge({ batch })).rejects.toThrow(
      'option `batch` must be a whole number of sessions from 1 to 10000',
    )
  })
})

describe('purging at intervals', () => {
  it('deletes the same sessions as sessions.purge at each interval until the service is closed', async () => {
    const system = createTestSystem()
    const { login, service, storage } = createTestService({ system, purgeIntervalSeconds: 60 })
    expect(system.timers()).toEqual([60_000])

    for (let round = 0; round < 2; round += 1) {
      const { sessionId, accessToken } = await login()
      await service.revoke(accessToken)
      system.advance(2 * day)
      system.fireTimers()
      await nextTurn()
      expect(await storage.findByIds([sessionId])).toEqual([])
      expect(system.timers()).toEqual([60_000])
    }
    await service.close()
    expect(system.timers()).toEqual([])
  })

  it('continues after a failure, and reports the failure', async () => {
    const system = createTestSystem()
    const reported: AuthError[] = []
    const { storage } = createTestService()
    createTestService({
      system,
      purgeIntervalSeconds: 60,
      onError: (error) => reported.push(error),
      storage: { ...storage, deleteExpired: () => Promise.reject(new Error('down')) },
    })
    system.fireTimers()
    await nextTurn()
    expect(reported).toMatchObject([{ code: 'jwt_auth_unavailable' }])
    expect(system.timers()).toEqual([60_000])
  })

  it('starts no timer when the service is closed during a purge', async () => {
    const system = createTestSystem()
    const gate = createCallGate(memoryStorage({ quiet: true }))
    const { service } = createTestService({ system, purgeIntervalSeconds: 60, storage: gate.port })
    gate.hold('deleteExpired')
    system.fireTimers()
    await gate.held('deleteExpired')
    const closed = service.close()
    gate.open('deleteExpired')
    await closed
    await nextTurn()
    expect(system.timers()).toEqual([])
  })

  it('is off by default', () => {
    const system = createTestSystem()
    createTestService({ system })
    expect(system.timers()).toEqual([])
  })
})
