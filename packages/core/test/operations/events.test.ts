import { describe, expect, it } from 'vitest'
import { AuthError, type AuthEvent, type TokenServiceOptions } from '../../src/index.js'
import { nextTurn } from '../support/next-turn.js'
import { outcomeOf } from '../support/outcome.js'
import { createTestService } from '../support/test-service.js'
import { startOfTests } from '../support/test-system.js'
import { unhandledRejectionsDuring } from '../support/unhandled-rejections.js'

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
  await note(made.service.sessions.revoke({ userId: 1, sessionId: third.sessionId }))
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

  it('contain the user and the time of a login', async () => {
    const { events, login, system } = createTestService()
    system.advance(7)
    const { sessionId } = await login()
    expect(events).toEqual([{ type: 'session_created', userId: 1, sessionId, at: new Date(startOfTests + 7) }])
  })

  it('are frozen', async () => {
    const { events } = await causeEvents({})
    expect(events.map((event) => Object.isFrozen(event))).toEqual(events.map(() => true))
  })

  it('contain no token and no part of a token', async () => {
    const { events, login } = createTestService()
    const { refreshToken, accessToken } = await login()
    const text = JSON.stringify(events)
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
    expect(caused?.errors).toHaveLength(9)
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
    expect(received).toHaveLength(9)
  })

  it.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('together with an onError that %s changes no outcome and does not end the process', async (_, onError) => {
    let outcomes: readonly string[] = []
    const unhandled = await unhandledRejectionsDuring(async () => {
      outcomes = (await causeEvents({ onEvent: throwing, onError })).outcomes
    })
    expect(outcomes).toEqual(expectedOutcomes)
    expect(unhandled).toEqual([])
  })
})

describe('report', () => {
  it('calls onError with the same error', () => {
    const { service, errors } = createTestService()
    const error = new AuthError('jwt_auth_unavailable', { cause: new Error('down') })
    service.report(error)
    expect(errors).toEqual([error])
  })

  it.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('does not fail when onError %s', async (_, onError) => {
    const { service } = createTestService({ onError })
    const unhandled = await unhandledRejectionsDuring(async () => {
      service.report(new AuthError('jwt_auth_unavailable'))
    })
    expect(unhandled).toEqual([])
  })
})
