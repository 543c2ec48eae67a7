import { memoryStorage } from '@jwt-auth/storage-memory'
import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'

const alreadyRevoked = new AuthError('jwt_auth_token_already_revoked')

describe('a revocation', () => {
  it('ends the session of the token and returns the time', async () => {
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

  it('is refused as already revoked the second time, and keeps the time of the first revocation', async () => {
    const { service, storage, system, login } = createTestService()
    const { accessToken, sessionId } = await login()
    await service.revoke(accessToken)
    system.advance(1_000)
    expect(await rejectionOf(service.revoke(accessToken))).toEqual(alreadyRevoked)
    expect(await storage.findByIds([sessionId])).toMatchObject([{ endedAt: startOfTests }])
  })

  it.each([
    ['the application ended the session', endByHost],
    ['the application ended all sessions', endAllByHost],
    ['a replay ended the session', endByReplay],
  ])('is refused as already revoked when %s', async (_, end) => {
    const made = createTestService({ refreshGraceSeconds: 0 })
    const grant = await made.login()
    await end(made, grant)
    expect(await rejectionOf(made.service.revoke(grant.accessToken))).toEqual(alreadyRevoked)
  })

  // A token can expire after its session only with a clock tolerance.
  it('is refused as already revoked after the idle expiry of the session, within the clock tolerance of the token', async () => {
    const { service, system, login } = createTestService({ clockToleranceSeconds: 60, sessionIdleTimeoutSeconds: 100 })
    const { accessToken } = await login()
    system.advance(130_000)
    expect(await outcomeOf(service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
    expect(await outcomeOf(service.revoke(accessToken))).toBe('jwt_auth_token_already_revoked')
  })

  it('ends a session that expires after its token, within the clock tolerance of the token', async () => {
    const { service, system, login } = createTestService({ clockToleranceSeconds: 60, accessTokenLifetimeSeconds: 100 })
    const { accessToken, refreshToken } = await login()
    system.advance(130_000)
    expect(await outcomeOf(service.revoke(accessToken))).toBe('ok')
    expect(await outcomeOf(service.refresh(refreshToken))).toBe('jwt_auth_invalid_refresh_token')
  })

  it('fails as not found for a valid token of an unknown session', async () => {
    const { login } = createTestService()
    const { service: elsewhere } = createTestService()
    const { accessToken } = await login()
    expect(await rejectionOf(elsewhere.revoke(accessToken))).toEqual(new AuthError('jwt_auth_token_not_found'))
  })

  it('is refused for an expired token, also when the token was revoked before', async () => {
    const { service, system, login } = createTestService()
    const { accessToken } = await login()
    await service.revoke(accessToken)
    system.advance(3_600_000)
    expect(await rejectionOf(service.revoke(accessToken))).toMatchObject({
      code: 'jwt_auth_invalid_token',
      message: 'Expired token',
    })
  })

  it.each(['', 'junk', 'a.b.c'])('is refused before any lookup for text that is not a token: %j', async (token) => {
    const { service } = createTestService({
      storage: { ...memoryStorage({ quiet: true }), end: () => Promise.reject(new Error('asked all the same')) },
    })
    expect(await outcomeOf(service.revoke(token))).toBe('jwt_auth_invalid_token')
  })

  it('fails with jwt_auth_revoke_failed when storage fails, and the token still works when storage has recovered', async () => {
    const storage = memoryStorage({ quiet: true })
    const cause = new Error('connection lost')
    let isDown = true
    const { service, login } = createTestService({
      storage: { ...storage, end: (...args) => (isDown ? Promise.reject(cause) : storage.end(...args)) },
    })
    const { accessToken, sessionId } = await login()
    expect(await rejectionOf(service.revoke(accessToken))).toMatchObject({
      code: 'jwt_auth_revoke_failed',
      message: 'Failed to revoke token',
      detail: `storage failed for session ${sessionId}`,
      cause,
    })
    expect(await outcomeOf(service.authorize(accessToken))).toBe('ok')
    isDown = false
    expect(await outcomeOf(service.revoke(accessToken))).toBe('ok')
  })

  it('that was committed without a response is refused as already revoked at the retry', async () => {
    const storage = memoryStorage({ quiet: true })
    let isLost = true
    const { service, login } = createTestService({
      storage: {
        ...storage,
        end: async (...args) => {
          const outcome = await storage.end(...args)
          if (isLost) throw new Error('result lost')
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
  await service.sessions.revoke(1, sessionId)
}

async function endAllByHost({ service }: Made): Promise<void> {
  await service.sessions.revokeAll(1)
}

async function endByReplay({ service }: Made, { refreshToken }: Grant): Promise<void> {
  await service.refresh(refreshToken)
  await rejectionOf(service.refresh(refreshToken))
}

describe('a logout', () => {
  it.each(['accessToken', 'refreshToken'] as const)('ends the session of an %s, and says so once', async (name) => {
    const { service, login } = createTestService()
    const { refreshToken, ...grant } = await login()
    const token = name === 'accessToken' ? { accessToken: grant.accessToken } : { refreshToken }
    expect(await service.logout(token)).toBe('ended')
    expect(await service.logout(token)).toBe('already-ended')
    expect(await outcomeOf(service.authorize(grant.accessToken))).toBe('jwt_auth_invalid_token')
    expect(await outcomeOf(service.refresh(refreshToken))).toBe('jwt_auth_invalid_refresh_token')
  })

  it('ends the session of a refresh token that was replaced long ago, and whose access token has expired', async () => {
    const { service, system, login } = createTestService()
    const { refreshToken } = await login()
    const { accessToken } = await service.refresh(refreshToken)
    system.advance(4_000_000)
    expect(await service.logout({ accessToken })).toBe('unknown')
    expect(await service.logout({ refreshToken })).toBe('ended')
  })

  it.each([
    ['an unknown refresh token', { refreshToken: `jwtauth_rt_${'A'.repeat(64)}` }],
    ['a malformed refresh token', { refreshToken: 'no token' }],
    ['a malformed access token', { accessToken: 'no token' }],
  ])('finds nothing for %s, within the limit of refused tokens', async (_, token) => {
    const { service } = createTestService({ rateLimits: { tokens: { points: 1, durationSeconds: 60 } } })
    expect(await service.logout(token)).toBe('unknown')
    expect(await outcomeOf(service.logout(token))).toBe('jwt_auth_rate_limited')
  })

  it('finds nothing for the tokens of another issuer of the same storage', async () => {
    const storage = memoryStorage({ quiet: true })
    const other = createTestService({ storage, issuer: 'https://other.example' })
    const { service } = createTestService({ storage })
    const { accessToken, refreshToken } = await other.login()
    expect(await service.logout({ accessToken })).toBe('unknown')
    expect(await service.logout({ refreshToken })).toBe('unknown')
    expect(await outcomeOf(other.service.authorize(accessToken))).toBe('ok')
  })
})
