import { setImmediate as nextTurn } from 'node:timers/promises'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { createCallGate } from '@jwt-auth/test-support/call-gate'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { createTestSystem } from '@jwt-auth/test-support/test-clock'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { AuthError } from '../../src/errors/auth-error.js'

const day = 24 * 3_600_000

/**
 * A service whose storage has a number of sessions to delete, and the limits of the batches that
 * storage received. The first batches take the given times, and the others none.
 */
const createFullService = (sessions: number, batchesMs: readonly number[] = []) => {
  let left = sessions
  const limits: number[] = []
  const system = createTestSystem()
  const { service } = createTestService({
    system,
    storage: {
      ...memoryStorage({ quiet: true }),
      deleteExpired: async ({ limit }) => {
        system.advance(batchesMs[limits.length] ?? 0)
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
    [0, [10]],
    [9, [10]],
    [10, [10, 20]],
    [2_300, [10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]],
  ])('deletes %i sessions in batches of %j when each takes no time', async (sessions, batches) => {
    const { service, limits } = createFullService(sessions)
    expect(await service.sessions.purge()).toBe(sessions)
    expect(limits).toEqual(batches)
  })

  it('halves a batch after one of at least 5 ms, down to 10 sessions, and doubles it after less than 2.5 ms', async () => {
    const { service, limits } = createFullService(220, [2, 2, 3, 4, 5, 5, 900, 2, -60_000])
    await service.sessions.purge()
    expect(limits).toEqual([10, 20, 40, 40, 40, 20, 10, 10, 20, 40])
  })

  it('waits for a turn of the event loop between two batches, also when storage resolves immediately', async () => {
    const { service } = createFullService(140)
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
    expect(await purged).toBe(10)
    expect(limits).toEqual([10])
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

describe('purging at intervals', () => {
  it('deletes the same sessions as sessions.purge at each interval until the service is closed', async () => {
    const system = createTestSystem()
    const { login, service, storage } = createTestService({ system, purgeIntervalSeconds: 60 })

    for (let round = 0; round < 2; round += 1) {
      const { sessionId, accessToken } = await login()
      await service.revoke(accessToken)
      system.advance(2 * day)
      system.fireTimers()
      await nextTurn()
      expect(await storage.findByIds([sessionId])).toEqual([])
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
    expect(system.timers()).toHaveLength(1)
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

  it.each([
    [0, [2_160_000, 64_800_000]],
    [255, [3_600_000, 108_000_000]],
  ])('starts within an hour and repeats about daily by default (random byte %i)', async (byte, delays) => {
    const system = { ...createTestSystem(), randomBytes: (size: number) => Buffer.alloc(size, byte) }
    createTestService({ system, purgeIntervalSeconds: undefined })
    expect(system.timers()).toEqual(delays.slice(0, 1))
    system.fireTimers()
    await nextTurn()
    expect(system.timers()).toEqual(delays.slice(1))
  })

  it('starts no timer when it is off', () => {
    const system = createTestSystem()
    createTestService({ system, purgeIntervalSeconds: false })
    expect(system.timers()).toEqual([])
  })
})
