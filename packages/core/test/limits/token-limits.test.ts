import { describe, expect, it } from 'vitest'
import type { TokenService } from '../../src/index.js'
import { countOutcomes, outcomeOf, rejectionOf } from '../support/outcome.js'
import { createTestService } from '../support/test-service.js'

const limit = { points: 5, durationSeconds: 60 }
const options = { rateLimits: { tokens: limit } }
const [here, elsewhere] = ['192.0.2.1', '192.0.2.2']
const badRefreshToken = `jwtauth_rt_${'A'.repeat(64)}`

const routes: readonly (readonly [string, (service: TokenService, address: string) => Promise<unknown>])[] = [
  ['refresh', (service, address) => service.refresh(badRefreshToken, address)],
  ['validate', (service, address) => service.validate('no.good.token', address)],
  ['revoke', (service, address) => service.revoke('no.good.token', address)],
  ['findAuthorizedUser', (service, address) => service.findAuthorizedUser('no.good.token', address)],
]

describe.each(routes)('refused tokens at %s', (_, present) => {
  it('are limited for each network, also when they come at once', async () => {
    const { service } = createTestService(options)
    const outcomes = await countOutcomes(Array.from({ length: 20 }, () => present(service, here)))
    expect(outcomes['jwt_auth_rate_limited']).toBe(15)
    expect(await rejectionOf(present(service, here))).toMatchObject({ retryAfterSeconds: 60 })
    expect(await outcomeOf(present(service, elsewhere))).not.toBe('jwt_auth_rate_limited')
  })

  it('are let through again when the window is over', async () => {
    const { service, system } = createTestService(options)
    for (let count = 0; count < 6; count += 1) await outcomeOf(present(service, here))
    system.advance(60_000)
    expect(await outcomeOf(present(service, here))).not.toBe('jwt_auth_rate_limited')
  })

  it('are a thousand in a minute unless the host says otherwise', async () => {
    const { service } = createTestService()
    const outcomes = await countOutcomes(Array.from({ length: 1_001 }, () => present(service, here)))
    expect(outcomes['jwt_auth_rate_limited']).toBe(1)
  })

  it('leave the guard and the other routes alone', async () => {
    const { service, login } = createTestService(options)
    const { accessToken } = await login()
    for (let count = 0; count < 6; count += 1) await outcomeOf(present(service, here))
    expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
    const others = await Promise.all(routes.map(([, other]) => outcomeOf(other(service, here))))
    expect(others.filter((outcome) => outcome === 'jwt_auth_rate_limited')).toHaveLength(1)
  })
})

describe('good tokens', () => {
  it('are not limited: whoever validates for thousands of users may', async () => {
    const { service, login } = createTestService(options)
    const { accessToken } = await login()
    for (let count = 0; count < 50; count += 1) await service.validate(accessToken, here)
    expect(await outcomeOf(service.validate(accessToken, here))).toBe('ok')
  })

  it('are not limited when storage can not say so', async () => {
    const { service, storage, login } = createTestService(options)
    const { accessToken } = await login()
    const findByIds = storage.findByIds
    storage.findByIds = () => Promise.reject(new Error('the database is away'))
    for (let count = 0; count < 10; count += 1) await outcomeOf(service.validate(accessToken, here))
    storage.findByIds = findByIds
    expect(await outcomeOf(service.validate(accessToken, here))).toBe('ok')
  })
})

describe('the guard', () => {
  it('has no limit: bad tokens without end are refused as bad', async () => {
    const { service } = createTestService(options)
    const outcomes = await countOutcomes(Array.from({ length: 100 }, () => service.authorize('no.good.token')))
    expect(outcomes).toEqual({ jwt_auth_invalid_token: 100 })
  })
})

describe('good tokens', () => {
  it('use nothing up, though more of them come at once than may be refused', async () => {
    const { service, login } = createTestService(options)
    const { accessToken } = await login()
    for (let round = 0; round < 3; round += 1) {
      await countOutcomes(Array.from({ length: 20 }, () => service.validate(accessToken, here)))
      expect(await outcomeOf(service.validate(accessToken, here))).toBe('ok')
    }
  })
})

describe('revocations of one revoked token', () => {
  it('are limited, for each of them asks storage', async () => {
    const { service, login } = createTestService(options)
    const { accessToken } = await login()
    await service.revoke(accessToken, here)
    const outcomes = await countOutcomes(Array.from({ length: 20 }, () => service.revoke(accessToken, here)))
    expect(outcomes).toEqual({ jwt_auth_token_already_revoked: 5, jwt_auth_rate_limited: 15 })
  })
})
