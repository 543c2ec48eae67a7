import { setImmediate as nextTurn } from 'node:timers/promises'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { startOfTests } from '@jwt-auth/test-support/test-clock'
import { ann } from '@jwt-auth/test-support/test-directory'
import { bearerRequest, createTestService, type TestService, testSecret } from '@jwt-auth/test-support/test-service'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthError, type AuthEvent, type TokenServiceOptions } from '../../src/index.js'
import { unhandledRejectionsDuring } from '../support/unhandled-rejections.js'

// The reports of an `onError` that fails go to stderr.
beforeEach(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true))
afterEach(() => void vi.restoreAllMocks())

const otherSecret = 'Z9_another-secret-of-a-service-4711'

/** Causes every kind of event: a login, a refresh, a replay, a revocation, and sessions that the application ends. */
const causeEvents = async (options: Partial<TokenServiceOptions>) => {
  const made = createTestService({ refreshGraceSeconds: 0, ...options })
  const outcomes: string[] = []
  const note = async (operation: Promise<unknown>): Promise<void> => {
    outcomes.push(await outcomeOf(operation))
  }
  const first = await made.login()
  const second = await made.login()
  const third = await made.login()
  await made.login()
  await note(made.service.refresh(first.refreshToken))
  await note(made.service.refresh(first.refreshToken))
  await note(made.service.revoke(second.accessToken))
  await note(made.service.revoke(second.accessToken))
  await note(made.service.sessions.revoke(1, third.sessionId))
  await note(made.service.sessions.revokeAll(1))
  return { ...made, outcomes }
}

const expectedOutcomes = ['ok', 'jwt_auth_invalid_refresh_token', 'ok', 'jwt_auth_token_already_revoked', 'ok', 'ok']

const throwing = (): never => {
  throw new Error('the log is full')
}
const rejecting = () => Promise.reject(new Error('the log is full'))

describe('the events of sessions', () => {
  it('are one for each session that is opened or ended, and one for a replay', async () => {
    const { events, outcomes } = await causeEvents({})
    expect(outcomes).toEqual(expectedOutcomes)
    expect(events.map((event) => [event.type, 'reason' in event ? event.reason : undefined])).toEqual([
      ['session_created', undefined],
      ['session_created', undefined],
      ['session_created', undefined],
      ['session_created', undefined],
      ['session_ended', 'refresh_token_replayed'],
      ['refresh_token_replayed', undefined],
      ['session_ended', 'revoked'],
      ['session_ended', 'revoked'],
      ['sessions_ended', 'revoked_all'],
    ])
  })

  it('are frozen', async () => {
    const { events } = await causeEvents({})
    expect(events.map((event) => Object.isFrozen(event))).toEqual(events.map(() => true))
  })

  it('contain no token and no part of a token', async () => {
    const { service, events, activity, login } = createTestService()
    const { refreshToken, accessToken } = await login()
    await service.revoke(accessToken)
    await outcomeOf(service.authorize(accessToken))
    await outcomeOf(service.refresh(refreshToken))
    const text = JSON.stringify([...events, ...activity])
    expect(text).not.toContain(refreshToken.slice(11, 33))
    expect(text).not.toContain(refreshToken.slice(-22))
    for (const part of accessToken.split('.')) expect(text).not.toContain(part)
  })

  it('are emitted after the change in storage', async () => {
    const seen: unknown[] = []
    const made = createTestService({
      onEvent: (event) => {
        if (event.type === 'session_ended') seen.push(made.storage.findByIds([event.sessionId]))
      },
    })
    const { accessToken } = await made.login()
    await made.service.revoke(accessToken)
    expect(await Promise.all(seen)).toMatchObject([[{ endReason: 'revoked' }]])
  })
})

describe('the event of a client', () => {
  const address = '192.0.2.7'
  const from = { ipAddress: address, at: new Date(startOfTests) }

  it('that logs in follows the event of its session', async () => {
    const received: AuthEvent[] = []
    const { service } = createTestService({ onEvent: (event) => received.push(event) })
    const { sessionId } = await service.login(
      { username: 'ann', password: ann.password },
      { address, device: { ipAddress: address } },
    )
    expect(received).toEqual([
      { type: 'session_created', userId: 1, sessionId, ...from },
      { type: 'login_succeeded', userId: 1, sessionId, ...from },
    ])
  })

  it('that refreshes is one for each rotation, and none for a repeat', async () => {
    const { service, activity, login } = createTestService()
    const { refreshToken, sessionId } = await login()
    await service.refresh(refreshToken, { address })
    await service.refresh(refreshToken, { address })
    expect(activity.slice(1)).toEqual([{ type: 'session_refreshed', userId: 1, sessionId, ...from }])
  })

  it('that logs out or replays a token contains the address', async () => {
    const { service, events, login } = createTestService({ refreshGraceSeconds: 0 })
    const [first, second] = [await login(), await login()]
    await service.revoke(first.accessToken, { address })
    await service.refresh(second.refreshToken)
    await outcomeOf(service.refresh(second.refreshToken, { address }))
    expect(events.filter(({ type }) => type === 'session_ended')).toMatchObject([
      { reason: 'revoked', ipAddress: address },
      { reason: 'refresh_token_replayed', ipAddress: address },
    ])
  })
})

describe('the event of a rejected request', () => {
  const address = '192.0.2.7'
  const rejection = { type: 'request_rejected', ipAddress: address, at: new Date(startOfTests) }
  const nobody = { userId: undefined, sessionId: undefined }

  it.each([
    ['authorize', ({ service }: TestService) => service.authorize('no.valid.token', { address })],
    ['authorizeUser', ({ service }: TestService) => service.authorizeUser('no.valid.token', { address })],
    ['a guard', ({ admit }: TestService) => admit(bearerRequest('no.valid.token', address))],
    ['revoke', ({ service }: TestService) => service.revoke('no.valid.token', { address })],
  ])('with an invalid token at %s names no user', async (_, operate) => {
    const test = createTestService()
    await outcomeOf(operate(test))
    const { activity } = test
    const detail = expect.any(String)
    expect(activity).toEqual([{ ...rejection, code: 'jwt_auth_invalid_token', detail, ...nobody }])
  })

  it('with an invalid refresh token names no user', async () => {
    const { service, activity } = createTestService()
    await outcomeOf(service.refresh('jwtauth_rt_unknown', { address }))
    expect(activity).toMatchObject([{ ...rejection, code: 'jwt_auth_invalid_refresh_token', ...nobody }])
  })

  it('with a token of an ended session names the user and the session', async () => {
    const { service, activity, login } = createTestService()
    const { accessToken, refreshToken, sessionId } = await login()
    await service.revoke(accessToken, { address })
    await outcomeOf(service.authorize(accessToken, { address }))
    await outcomeOf(service.revoke(accessToken, { address }))
    await outcomeOf(service.refresh(refreshToken, { address }))
    const named = { ...rejection, userId: 1, sessionId }
    expect(activity.slice(1)).toMatchObject([
      { ...named, code: 'jwt_auth_invalid_token', detail: 'the session has ended or expired' },
      { ...named, code: 'jwt_auth_token_already_revoked' },
      { ...named, code: 'jwt_auth_invalid_refresh_token' },
    ])
  })

  it('of a disabled user is one', async () => {
    const { service, users, activity, login } = createTestService()
    const { accessToken, sessionId } = await login()
    users.change(1, { disabled: true })
    await outcomeOf(service.authorizeUser(accessToken, { address }))
    const detail = 'the user does not exist or is disabled'
    expect(activity.slice(1)).toEqual([{ ...rejection, code: 'jwt_auth_invalid_token', detail, userId: 1, sessionId }])
  })

  it('is not emitted for a failure of storage', async () => {
    const storage = { ...memoryStorage({ quiet: true }), findByIds: () => Promise.reject(new Error('down')) }
    const { service, activity, login } = createTestService({ storage })
    const { accessToken } = await login()
    await outcomeOf(service.authorize(accessToken))
    expect(activity.map(({ type }) => type)).toEqual(['login_succeeded'])
  })

  it('is emitted for a rejection by a rule, but not for a limit', async () => {
    const { admit, activity, login } = createTestService()
    const { accessToken, sessionId } = await login()
    const limited = new AuthError('jwt_auth_rate_limited')
    await outcomeOf(admit(bearerRequest(accessToken, address), { allow: () => Promise.reject(limited) }))
    await outcomeOf(admit(bearerRequest(accessToken, address), { allow: () => false }))
    const forbidden = { ...rejection, code: 'jwt_auth_forbidden', detail: undefined, userId: 1, sessionId }
    expect(activity.slice(1)).toEqual([forbidden])
  })
})

describe('the event of maintenance', () => {
  it('follows a change of keys, and names the keys that are accepted', () => {
    const { service, events } = createTestService()
    service.setKeys([
      { key: otherSecret, algorithm: 'HS256', state: 'active' },
      { key: testSecret, algorithm: 'HS256', state: 'verify' },
    ])
    const kid = expect.any(String)
    expect(events).toEqual([{ type: 'keys_changed', activeKid: kid, kids: [kid, kid], at: new Date(startOfTests) }])
  })

  it('is not emitted for keys that are refused', () => {
    const { service, events } = createTestService()
    expect(() => service.setKeys([])).toThrow(TypeError)
    expect(events).toEqual([])
  })

  it('follows a purge, and contains how many sessions were deleted', async () => {
    const { service, events, login, system } = createTestService()
    await login()
    system.advance(200 * 24 * 3_600_000)
    await service.sessions.purge()
    expect(events.slice(1)).toEqual([{ type: 'purge_finished', deleted: 1, at: new Date(system.now()) }])
  })
})

describe('a listener that fails', () => {
  it.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('because it %s changes no outcome, and onError is called with each failure', async (_, onEvent) => {
    let caused: Awaited<ReturnType<typeof causeEvents>> | undefined
    const unhandled = await unhandledRejectionsDuring(async () => {
      caused = await causeEvents({ onEvent })
      await nextTurn()
    })
    expect(unhandled).toEqual([])
    expect(caused?.outcomes).toEqual(expectedOutcomes)
    expect(caused?.errors).toHaveLength(16)
    expect(caused?.errors[0]).toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: new Error('the log is full'),
    })
  })

  it('to settle delays no operation', async () => {
    const received: AuthEvent[] = []
    const { outcomes } = await causeEvents({
      onEvent: (event) => {
        received.push(event)
        return new Promise<void>(() => {})
      },
    })
    expect(outcomes).toEqual(expectedOutcomes)
    expect(received).toHaveLength(16)
  })
})
