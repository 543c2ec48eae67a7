import { countOutcomes, outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'

const [here, elsewhere] = [{ address: '192.0.2.1' }, { address: '192.0.2.2' }]
const limit = { points: 3, durationSeconds: 60 }

describe('a limit of the application', () => {
  it('allows its points to each network within a window, also when attempts arrive concurrently', async () => {
    const { service, system } = createTestService()
    const attempts = Array.from({ length: 5 }, () => service.limit('sign_up', limit, here))
    expect(await countOutcomes(attempts)).toEqual({ ok: 3, jwt_auth_rate_limited: 2 })
    expect(await rejectionOf(service.limit('sign_up', limit, here))).toMatchObject({ retryAfterSeconds: 60 })
    expect(await outcomeOf(service.limit('sign_up', limit, elsewhere))).toBe('ok')
    expect(await outcomeOf(service.limit('code', limit, here))).toBe('ok')
    system.advance(60_000)
    expect(await outcomeOf(service.limit('sign_up', limit, here))).toBe('ok')
  })

  it('with a key counts this key for all networks together', async () => {
    const { service } = createTestService()
    const attempts = [here, elsewhere, here, elsewhere].map((from) => service.limit('code', { ...limit, key: 7 }, from))
    expect(await countOutcomes(attempts)).toEqual({ ok: 3, jwt_auth_rate_limited: 1 })
    expect(await outcomeOf(service.limit('code', { ...limit, key: '7' }, here))).toBe('ok')
  })

  it('is announced by its name, once for a window', async () => {
    const { service, events } = createTestService()
    await countOutcomes(Array.from({ length: 9 }, () => service.limit('sign_up', limit, here)))
    expect(events).toMatchObject([{ type: 'rate_limited', limit: 'sign_up', network: here.address }])
  })

  it.each([false, {}] as const)('is checked also with rateLimits %o', async (rateLimits) => {
    const { service } = createTestService({ rateLimits })
    const wrong: readonly (readonly [string, object, string])[] = [
      ['sign up', limit, 'option `limit.name` must be 1 to 40 letters, digits and underscores'],
      ['sign_up', {}, 'option `limit` must be { points, durationSeconds }'],
      ['sign_up', { points: 0, durationSeconds: 1 }, 'option `limit.points` must be a whole number of attempts'],
      ['sign_up', { ...limit, key: {} }, 'option `limit.key` must be a number'],
    ]
    for (const [name, given, message] of wrong) {
      await expect(service.limit(name, given as typeof limit)).rejects.toThrow(message)
    }
  })
})
