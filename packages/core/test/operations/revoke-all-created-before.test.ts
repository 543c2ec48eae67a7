import { memoryStorage } from '@jwt-auth/storage-memory'
import { callUntyped, outcomeOf } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'

const at = (milliseconds: number) => new Date(startOfTests + milliseconds)

describe('sessions.revokeAllCreatedBefore', () => {
  it('ends the sessions of every user that were opened before the instant, and no later session', async () => {
    const { service, system, events } = createTestService()
    const before = [await service.sessions.create(1), await service.sessions.create('bob-2')]
    system.advance(10)
    const later = await service.sessions.create(1)
    expect(await service.sessions.revokeAllCreatedBefore(at(10))).toBe(2)
    for (const { accessToken, refreshToken } of before) {
      expect(await outcomeOf(service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
      expect(await outcomeOf(service.refresh(refreshToken))).toBe('jwt_auth_invalid_refresh_token')
    }
    expect(await outcomeOf(service.authorize(later.accessToken))).toBe('ok')
    expect(events.slice(3)).toEqual([
      { type: 'sessions_ended_before', createdBefore: at(10), count: 2, at: at(10), reason: 'created_before' },
    ])
    expect(await service.sessions.revokeAllCreatedBefore(at(10))).toBe(0)
    expect(events).toHaveLength(4)
  })

  it('ends sessions in batches, and rejects with jwt_auth_unavailable when the service closes before the last batch', async () => {
    const storage = memoryStorage({ quiet: true })
    let calls = 0
    const endCreatedBefore = async () => {
      calls += 1
      if (calls === 2) void service.close()
      return 1_000
    }
    const { service } = createTestService({ storage: { ...storage, endCreatedBefore } })
    expect(await outcomeOf(service.sessions.revokeAllCreatedBefore(at(1)))).toBe('jwt_auth_unavailable')
    expect(calls).toBe(2)
  })

  it.each([[undefined], ['2026-01-01'], [0], [new Date(Number.NaN)]])(
    'rejects a value that is not a valid date (%#)',
    async (instant) => {
      const { service, login } = createTestService()
      const { accessToken } = await login()
      const ending = Promise.resolve(callUntyped(service.sessions.revokeAllCreatedBefore, instant))
      await expect(ending).rejects.toThrow('option `instant` must be a valid Date')
      expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
    },
  )
})
