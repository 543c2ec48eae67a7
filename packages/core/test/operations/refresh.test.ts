import { outcomeOf, rejectionOf } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { createTestService, type TestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors/auth-error.js'

const { password: annsPassword, ...annAsUser } = ann
const refused = new AuthError('jwt_auth_invalid_refresh_token')

const recordOf = async ({ storage }: TestService, sessionId: string) => (await storage.findByIds([sessionId]))[0]

describe('a refresh', () => {
  it('returns a new pair for the same session, and the present user', async () => {
    const made = createTestService()
    const first = await made.login()
    made.users.change(1, { email: 'ann@example.org', displayName: 'Ann B.' })
    made.system.advance(60_000)

    const second = await made.service.refresh(first.refreshToken)

    expect(second).toEqual({
      accessToken: expect.any(String),
      expiresInSeconds: 3_600,
      tokenType: 'Bearer',
      refreshToken: expect.stringMatching(/^jwtauth_rt_/),
      sessionExpiresInSeconds: expect.any(Number),
      user: { ...annAsUser, email: 'ann@example.org', displayName: 'Ann B.', credentialVersion: undefined },
      profile: {},
      sessionId: first.sessionId,
    })
    expect(second.accessToken).not.toBe(first.accessToken)
    expect(second.refreshToken).not.toBe(first.refreshToken)
    expect(second.refreshToken.slice(0, 32)).toBe(first.refreshToken.slice(0, 32))
  })

  it('repeated within the grace window returns the same refresh token and a valid access token', async () => {
    const { service, system, login } = createTestService()
    const first = await login()
    const second = await service.refresh(first.refreshToken)
    system.advance(30_000)
    const repeated = await service.refresh(first.refreshToken)
    expect(repeated.refreshToken).toBe(second.refreshToken)
    expect(repeated.accessToken).not.toBe(second.accessToken)
    expect(await outcomeOf(service.authorize(repeated.accessToken))).toBe('ok')
  })
})

describe('a replayed refresh token', () => {
  it('fails, ends its session permanently, and is announced', async () => {
    const made = createTestService()
    const { refreshToken, accessToken, sessionId } = await made.login()
    const { refreshToken: current } = await made.service.refresh(refreshToken)
    made.system.advance(30_001)

    expect(await rejectionOf(made.service.refresh(refreshToken))).toEqual(refused)

    expect(await recordOf(made, sessionId)).toMatchObject({
      endedAt: startOfTests + 30_001,
      endReason: 'refresh_token_replayed',
    })
    expect(made.events.map(({ type }) => type)).toEqual(['session_created', 'session_ended', 'refresh_token_replayed'])
    expect(await rejectionOf(made.service.refresh(current))).toEqual(refused)
    expect(await outcomeOf(made.service.authorize(accessToken))).toBe('jwt_auth_invalid_token')
  })

  it('is any token with the selector of the session and another verifier', async () => {
    const made = createTestService()
    const { refreshToken, sessionId } = await made.login()
    const forged = refreshToken.slice(0, -8) + (refreshToken.endsWith('A'.repeat(8)) ? 'B' : 'A').repeat(8)
    expect(await rejectionOf(made.service.refresh(forged))).toEqual(refused)
    expect(await recordOf(made, sessionId)).toMatchObject({ endReason: 'refresh_token_replayed' })
  })
})

describe('an invalid refresh token', () => {
  it('with another form is refused with the same error, and ends no session', async () => {
    const made = createTestService()
    const { refreshToken, sessionId } = await made.login()
    const before = await recordOf(made, sessionId)
    expect(await rejectionOf(made.service.refresh(`${refreshToken}A`))).toEqual(refused)
    expect(await recordOf(made, sessionId)).toEqual(before)
  })

  it('is reported once with the fix when it is an access token, also at a logout', async () => {
    const { service, errors, login } = createTestService()
    const { accessToken } = await login()
    for (const _ of [1, 2]) expect(await rejectionOf(service.refresh(accessToken))).toEqual(refused)
    expect(await service.logout({ refreshToken: accessToken })).toBe('unknown')
    expect(errors).toMatchObject([{ cause: { message: expect.stringContaining('send the `refresh_token` of') } }])
  })

  it('of a session after its idle expiry is refused with the same error, and the session is unchanged', async () => {
    const made = createTestService({ sessionIdleTimeoutSeconds: 600 })
    const { refreshToken, sessionId } = await made.login()
    const before = await recordOf(made, sessionId)
    made.system.advance(600_000)
    expect(await rejectionOf(made.service.refresh(refreshToken))).toEqual(refused)
    expect(await recordOf(made, sessionId)).toEqual(before)
  })

  it('of a session that expires within a second is refused with the same error, and ends no session', async () => {
    const made = createTestService({ sessionAbsoluteTimeoutSeconds: 1_000 })
    made.system.advance(500)
    const { refreshToken, sessionId } = await made.login()
    const before = await recordOf(made, sessionId)
    made.system.advance(999_500)
    expect(await rejectionOf(made.service.refresh(refreshToken))).toEqual(refused)
    expect(await recordOf(made, sessionId)).toEqual(before)
  })

  it('of a session that expires within a second is refused with the same error when it was just replaced, and ends no session', async () => {
    const made = createTestService({ sessionAbsoluteTimeoutSeconds: 1_000 })
    made.system.advance(500)
    const { refreshToken, sessionId } = await made.login()
    made.system.advance(999_400)
    await made.service.refresh(refreshToken)
    const before = await recordOf(made, sessionId)
    made.system.advance(99)
    expect(await outcomeOf(made.service.refresh(refreshToken))).toBe('ok')
    made.system.advance(1)
    expect(await rejectionOf(made.service.refresh(refreshToken))).toEqual(refused)
    expect(await recordOf(made, sessionId)).toEqual(before)
  })

  it.each([
    ['no longer exists', 'user_unavailable', ({ users }: TestService) => users.remove(1)],
    ['is disabled', 'user_unavailable', ({ users }: TestService) => users.change(1, { disabled: true })],
    [
      'has changed their password',
      'credentials_changed',
      ({ users }: TestService) => users.change(1, { credentialVersion: 'v2' }),
    ],
    [
      'no longer has a credential version',
      'credentials_changed',
      ({ users }: TestService) => users.change(1, { credentialVersion: undefined }),
    ],
  ])('of a user who %s is refused with the same error, and ends the session: %s', async (_, reason, change) => {
    const made = createTestService()
    const { refreshToken, sessionId } = await made.login()
    change(made)
    expect(await rejectionOf(made.service.refresh(refreshToken))).toEqual(refused)
    expect(await recordOf(made, sessionId)).toMatchObject({ endedAt: startOfTests, endReason: reason })
    expect(made.events.at(-1)).toMatchObject({ type: 'session_ended', sessionId, reason })
  })
})

describe('a refresh whose claims hook fails', () => {
  it('does not change the session, and the refresh token stays valid', async () => {
    let isFailing = false
    const made = createTestService({
      claims: () => {
        if (isFailing) throw new Error('no claims today')
        return {}
      },
    })
    const { refreshToken, sessionId } = await made.login()
    const before = await recordOf(made, sessionId)
    isFailing = true
    expect(await rejectionOf(made.service.refresh(refreshToken))).toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: new Error('no claims today'),
    })
    expect(await recordOf(made, sessionId)).toEqual(before)

    isFailing = false
    made.system.advance(60_000)
    expect(await outcomeOf(made.service.refresh(refreshToken))).toBe('ok')
  })
})
