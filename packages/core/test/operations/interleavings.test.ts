import { memoryStorage } from '@jwt-auth/storage-memory'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { createTestService } from '@jwt-auth/test-support/test-service'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuthenticationResult, SessionStorage } from '../../src/index.js'

/** Wraps a storage so that every call waits for the scheduler before it is performed, and again before it resolves. */
const scheduleStorage = (scheduler: fc.Scheduler, storage: SessionStorage): SessionStorage =>
  new Proxy(storage, {
    get: (_, name) => {
      const method: unknown = Reflect.get(storage, name)
      if (typeof method !== 'function') return method
      return async (...args: readonly unknown[]): Promise<unknown> => {
        const called = `storage.${String(name)}`
        await scheduler.schedule(Promise.resolve(), `${called} is called`)
        const result: unknown = await Reflect.apply(method, storage, args)
        await scheduler.schedule(Promise.resolve(), `${called} resolves`)
        return result
      }
    },
  })

const openSession = async (scheduler: fc.Scheduler) => {
  const storage = memoryStorage({ quiet: true })
  const before = createTestService({ storage })
  const grant = await before.login()
  const { service } = createTestService({ storage: scheduleStorage(scheduler, storage), system: before.system })
  return { storage, service, grant }
}

describe('in every order of storage calls and results', () => {
  it('concurrent refreshes of one token return one refresh token from one rotation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 2, max: 6 }), async (scheduler, count) => {
        const { storage, service, grant } = await openSession(scheduler)
        const refreshes = Array.from({ length: count }, () => service.refresh(grant.refreshToken))
        const results = await scheduler.waitFor(Promise.all(refreshes))
        expect(new Set(results.map(({ refreshToken }) => refreshToken)).size).toBe(1)
        expect(await storage.findByIds([grant.sessionId])).toMatchObject([{ recentVerifiers: [{}], endedAt: null }])
      }),
      { numRuns: 40 },
    )
  })

  it('a guard call that starts after a revocation resolved refuses the token', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat({ max: 7 }), async (scheduler, countBefore) => {
        const { service, grant } = await openSession(scheduler)
        const early = Array.from({ length: countBefore }, () => outcomeOf(service.authorize(grant.accessToken)))
        const late = service
          .revoke(grant.accessToken)
          .then(() => Promise.all([1, 2, 3].map(() => outcomeOf(service.authorize(grant.accessToken)))))
        const outcomes = await scheduler.waitFor(late)
        await scheduler.waitFor(Promise.all(early))
        expect(outcomes).toEqual(['jwt_auth_invalid_token', 'jwt_auth_invalid_token', 'jwt_auth_invalid_token'])
      }),
      { numRuns: 60 },
    )
  })

  it('a revocation ends all tokens of a concurrent refresh, and one of several revocations ends the session', async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 3 }), async (scheduler, countEach) => {
        const { storage, service, grant } = await openSession(scheduler)
        const some = Array.from({ length: countEach }, (_, at) => at)
        const refreshes = some.map(() => service.refresh(grant.refreshToken).catch(() => undefined))
        const revocations = some.map(() => outcomeOf(service.revoke(grant.accessToken)))
        const results: readonly (AuthenticationResult | undefined)[] = await scheduler.waitFor(Promise.all(refreshes))
        const outcomes = await scheduler.waitFor(Promise.all(revocations))

        expect(outcomes.filter((outcome) => outcome === 'ok')).toHaveLength(1)
        expect(await storage.findByIds([grant.sessionId])).toMatchObject([{ endReason: 'revoked' }])
        const { service: calm } = createTestService({ storage })
        for (const result of results) {
          if (result === undefined) continue
          expect(await outcomeOf(calm.authorize(result.accessToken))).toBe('jwt_auth_invalid_token')
          expect(await outcomeOf(calm.refresh(result.refreshToken))).toBe('jwt_auth_invalid_refresh_token')
        }
      }),
      { numRuns: 40 },
    )
  })
})
