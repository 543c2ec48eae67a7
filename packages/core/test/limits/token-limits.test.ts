import { setImmediate as nextTurn } from 'node:timers/promises'
import { countOutcomes, outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { bearerRequest, createTestService, type TestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import type { Limiter, TokenService } from '../../src/index.js'

const limit = { points: 5, durationSeconds: 60 }
const options = { rateLimits: { tokens: limit } }
const [here, elsewhere] = ['192.0.2.1', '192.0.2.2']
const badRefreshToken = `jwtauth_rt_${'A'.repeat(64)}`

const routes: readonly (readonly [string, (test: TestService, address: string) => Promise<unknown>])[] = [
  ['refresh', ({ service }, address) => service.refresh(badRefreshToken, { address })],
  ['validate', ({ admit }, address) => admit(bearerRequest('not.a.token', address), {}, 'validate')],
  ['revoke', ({ service }, address) => service.revoke('not.a.token', { address })],
  ['me', ({ admit }, address) => admit(bearerRequest('not.a.token', address), { checkUser: true }, 'me')],
]

describe.each(routes)('refused tokens at %s', (_, present) => {
  it('are limited for each network, also when they arrive concurrently', async () => {
    const test = createTestService(options)
    const outcomes = await countOutcomes(Array.from({ length: 20 }, () => present(test, here)))
    expect(outcomes['jwt_auth_rate_limited']).toBe(15)
    expect(await rejectionOf(present(test, here))).toMatchObject({ retryAfterSeconds: 60 })
    expect(await outcomeOf(present(test, elsewhere))).not.toBe('jwt_auth_rate_limited')
  })

  it('are refused with their own code again after the window', async () => {
    const test = createTestService(options)
    for (let count = 0; count < 6; count += 1) await outcomeOf(present(test, here))
    test.system.advance(60_000)
    expect(await outcomeOf(present(test, here))).not.toBe('jwt_auth_rate_limited')
  })

  it('are limited to a thousand in a minute by default', async () => {
    const test = createTestService()
    const outcomes = await countOutcomes(Array.from({ length: 1_001 }, () => present(test, here)))
    expect(outcomes['jwt_auth_rate_limited']).toBe(1)
  })

  it('do not count for the guard and the other routes', async () => {
    const test = createTestService(options)
    const { accessToken } = await test.login()
    for (let count = 0; count < 6; count += 1) await outcomeOf(present(test, here))
    expect(await outcomeOf(test.service.authorize(accessToken))).toBe('ok')
    const others = await Promise.all(routes.map(([, other]) => outcomeOf(other(test, here))))
    expect(others.filter((outcome) => outcome === 'jwt_auth_rate_limited')).toHaveLength(1)
  })
})

describe('a flood of refused tokens', () => {
  it('does not hold back the counts of logins at a slow limiter', async () => {
    let calls = 0
    const limiter: Limiter = {
      reserve: () => {
        calls += 1
        return new Promise(() => {})
      },
      refund: async () => {},
    }
    const { service, login } = createTestService({ rateLimits: { limiter } })
    for (let count = 0; count < 10; count += 1) void service.revoke('not.a.token', { address: here })
    await nextTurn()
    expect(calls).toBe(1)
    void login()
    await nextTurn()
    expect(calls).toBe(2)
  })
})

describe('valid tokens', () => {
  it.each<[string, (test: TestService, tokens: { accessToken: string; refreshToken: string }) => Promise<unknown>]>([
    ['refresh', ({ service }, { refreshToken }) => service.refresh(refreshToken, { address: here })],
    ['validate', ({ admit }, { accessToken }) => admit(bearerRequest(accessToken, here), {}, 'validate')],
    ['me', ({ admit }, { accessToken }) => admit(bearerRequest(accessToken, here), { checkUser: true }, 'me')],
    ['revoke', ({ service }, { accessToken }) => service.revoke(accessToken, { address: here })],
  ])('are accepted by %s while the limit of the network is used up', async (_, present) => {
    const test = createTestService(options)
    const tokens = await test.login()
    const exhaust = routes.map(([, junk]) => countOutcomes(Array.from({ length: 20 }, () => junk(test, here))))
    for (const outcomes of await Promise.all(exhaust)) expect(outcomes['jwt_auth_rate_limited']).toBe(15)
    expect(await outcomeOf(present(test, tokens))).toBe('ok')
  })

  it('are not limited', async () => {
    const { admit, login } = createTestService(options)
    const { accessToken } = await login()
    const outcomes = await countOutcomes(
      Array.from({ length: 50 }, () => admit(bearerRequest(accessToken, here), {}, 'validate')),
    )
    expect(outcomes).toEqual({ ok: 50 })
  })

  it('are not counted when storage fails', async () => {
    const { admit, storage, login } = createTestService(options)
    const { accessToken } = await login()
    const findByIds = storage.findByIds
    storage.findByIds = () => Promise.reject(new Error('the database is away'))
    const outcomes = await countOutcomes(
      Array.from({ length: 20 }, () => admit(bearerRequest(accessToken, here), {}, 'validate')),
    )
    expect(outcomes).toEqual({ jwt_auth_unavailable: 20 })
    storage.findByIds = findByIds
    expect(await outcomeOf(admit(bearerRequest('not.a.token', here), {}, 'validate'))).toBe('jwt_auth_invalid_token')
  })
})

describe('authorize', () => {
  it('does not limit invalid tokens', async () => {
    const { service } = createTestService(options)
    const outcomes = await countOutcomes(Array.from({ length: 100 }, () => service.authorize('not.a.token')))
    expect(outcomes).toEqual({ jwt_auth_invalid_token: 100 })
  })
})

describe('revocations of one token', () => {
  const revokeOften = ({ revoke }: TokenService, accessToken: string) =>
    countOutcomes(Array.from({ length: 20 }, () => revoke(accessToken, { address: here })))

  it('are limited when it is revoked, because each of them queries storage', async () => {
    const { service, login } = createTestService(options)
    const { accessToken } = await login()
    await service.revoke(accessToken, { address: here })
    const outcomes = await revokeOften(service, accessToken)
    expect(outcomes).toEqual({ jwt_auth_token_already_revoked: 5, jwt_auth_rate_limited: 15 })
  })

  it('are limited when its session is not in the storage', async () => {
    const { accessToken } = await createTestService(options).login()
    const outcomes = await revokeOften(createTestService(options).service, accessToken)
    expect(outcomes).toEqual({ jwt_auth_token_not_found: 5, jwt_auth_rate_limited: 15 })
  })
})
