import { memoryStorage } from '@jwt-auth/storage-memory'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'
import { outcomeOf, rejectionOf } from '../support/outcome.js'
import { createTestService } from '../support/test-service.js'
import { startOfTests } from '../support/test-system.js'

const alreadyRevoked = new AuthError('jwt_auth_token_already_revoked')

describe('a revocation', () => {
  it('ends the session of the token and says when', async () => {
    const { service, storage, system, login } = createTestService()
    const { accessToken, refreshToken, sessionId } = await login()
    system.advance(1_234)
    expect(await service.revoke(accessToken)).toEqual({ revokedAt: new Date(startOfTests + 1_234) })
    expect(await storage.findByIds([sessionId])).toMatchObject([
      { endedAt: startOfTests + 1_234, endReason: 'revoked' },
    ])
    expect(await outcomeOf(service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
    expect(await outcomeOf(service.refresh(refreshToken))).toBe('jwt_auth_invalid_refresh_token')
  })

  it('leaves other sessions of the user alone', async () => {
    const { service, login } = createTestService()
    const first = await login()
    const second = await login()
    await service.revoke(first.accessToken)
    expect(await outcomeOf(service.authorize(second.accessToken))).toBe('ok')
    expect(await outcomeOf(service.refresh(second.refreshToken))).toBe('ok')
  })

  it('counts on every instance that shares the storage', async () => {
    const storage = memoryStorage({ quiet: true })
    const one = createTestService({ storage })
    const other = createTestService({ storage })
    const { accessToken } = await one.login()
    expect(await outcomeOf(other.service.authorize(accessToken))).toBe('ok')
    await one.service.revoke(accessToken)
    expect(await outcomeOf(other.service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
  })

  it('is answered as already done the second time, and keeps the first time', async () => {
    const { service, storage, system, login } = createTestService()
    const { accessToken, sessionId } = await login()
    await service.revoke(accessToken)
    system.advance(1_000)
    expect(await rejectionOf(service.revoke(accessToken))).toEqual(alreadyRevoked)
    expect(await storage.findByIds([sessionId])).toMatchObject([{ endedAt: startOfTests }])
  })

  it.each([
    ['the host ended the session', endByHost],
    ['the host ended all sessions', endAllByHost],
    ['a replay ended the session', endByReplay],
  ])('is answered as already done when %s', async (_, end) => {
    const made = createTestService({ refreshGraceSeconds: 0 })
    const grant = await made.login()
    await end(made, grant)
    expect(await rejectionOf(made.service.revoke(grant.accessToken))).toEqual(alreadyRevoked)
  })

  // Only with a tolerance does a token outlive its session's own end.
  it('is answered as already done when the session idled away while the token is still tolerated', async () => {
    const { service, system, login } = createTestService({ clockToleranceSeconds: 60, sessionIdleTimeoutSeconds: 100 })
    const { accessToken } = await login()
    system.advance(130_000)
    expect(await outcomeOf(service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
    expect(await outcomeOf(service.revoke(accessToken))).toBe('jwt_auth_token_already_revoked')
  })

  it('is answered as already done in the very millisecond in which the session idled away', async () => {
    const { service, system, login } = createTestService({ clockToleranceSeconds: 60, sessionIdleTimeoutSeconds: 100 })
    const { accessToken } = await login()
    system.advance(100_000)
    expect(await outcomeOf(service.revoke(accessToken))).toBe('jwt_auth_token_already_revoked')
  })

  it('ends a session that outlives its token, while the token is still tolerated', async () => {
    const { service, system, login } = createTestService({ clockToleranceSeconds: 60, accessTokenLifetimeSeconds: 100 })
    const { accessToken, refreshToken } = await login()
    system.advance(130_000)
    expect(await outcomeOf(service.revoke(accessToken))).toBe('ok')
    expect(await outcomeOf(service.refresh(refreshToken))).toBe('jwt_auth_invalid_refresh_token')
  })

  it('is not found for a token that is still tolerated and whose session storage does not know', async () => {
    const { login } = createTestService({ accessTokenLifetimeSeconds: 100 })
    const { service: elsewhere, system } = createTestService({ clockToleranceSeconds: 60 })
    const { accessToken } = await login()
    system.advance(130_000)
    expect(await outcomeOf(elsewhere.revoke(accessToken))).toBe('jwt_auth_token_not_found')
  })

  it('is not found for a genuine token whose session storage does not know', async () => {
    const { login } = createTestService()
    const { service: elsewhere } = createTestService()
    const { accessToken } = await login()
    expect(await rejectionOf(elsewhere.revoke(accessToken))).toEqual(new AuthError('jwt_auth_token_not_found'))
  })

  it('is refused for an expired token, though it was revoked before', async () => {
    const { service, system, login } = createTestService()
    const { accessToken } = await login()
    await service.revoke(accessToken)
    system.advance(3_600_000)
    expect(await rejectionOf(service.revoke(accessToken))).toMatchObject({
      code: 'jwt_auth_invalid_token',
      message: 'Expired token',
    })
  })

  it.each(['', 'junk', 'a.b.c'])('is refused before any lookup for a token that is none: %j', async (token) => {
    const { service } = createTestService({
      storage: { ...memoryStorage({ quiet: true }), end: () => Promise.reject(new Error('asked all the same')) },
    })
    expect(await outcomeOf(service.revoke(token))).toBe('jwt_auth_invalid_token')
  })

  it('fails as such when storage fails, and the token still works once storage is back', async () => {
    const storage = memoryStorage({ quiet: true })
    const cause = new Error('connection lost')
    let isDown = true
    const { service, login } = createTestService({
      storage: { ...storage, end: (...args) => (isDown ? Promise.reject(cause) : storage.end(...args)) },
    })
    const { accessToken } = await login()
    expect(await rejectionOf(service.revoke(accessToken))).toMatchObject({
      code: 'jwt_auth_revoke_failed',
      message: 'Failed to revoke token',
      detail: 'storage failed',
      cause,
    })
    expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
    isDown = false
    expect(await outcomeOf(service.revoke(accessToken))).toBe('ok')
  })

  it('that was written although its answer got lost is answered as already done at the retry', async () => {
    const storage = memoryStorage({ quiet: true })
    let isLost = true
    const { service, login } = createTestService({
      storage: {
        ...storage,
        end: async (...args) => {
          const outcome = await storage.end(...args)
          if (isLost) throw new Error('answer lost')
          return outcome
        },
      },
    })
    const { accessToken } = await login()
    expect(await outcomeOf(service.revoke(accessToken))).toBe('jwt_auth_revoke_failed')
    isLost = false
    expect(await outcomeOf(service.revoke(accessToken))).toBe('jwt_auth_token_already_revoked')
  })
})

type Made = ReturnType<typeof createTestService>
type Grant = Awaited<ReturnType<Made['login']>>

async function endByHost({ service }: Made, { sessionId }: Grant): Promise<void> {
  await service.sessions.revoke({ userId: 1, sessionId })
}

async function endAllByHost({ service }: Made): Promise<void> {
  await service.sessions.revokeAll(1)
}

async function endByReplay({ service }: Made, { refreshToken }: Grant): Promise<void> {
  await service.refresh(refreshToken)
  await rejectionOf(service.refresh(refreshToken))
}
