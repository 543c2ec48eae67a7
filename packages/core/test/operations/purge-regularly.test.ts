import { memoryStorage } from '@jwt-auth/storage-memory'
import { createCallGate } from '@jwt-auth/test-support/call-gate'
import { nextTurn } from '@jwt-auth/test-support/next-turn'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { createTestSystem } from '@jwt-auth/test-support/test-system'
import { describe, expect, it } from 'vitest'
import type { AuthError } from '../../src/errors/auth-error.js'

const day = 24 * 3_600_000

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
