import { describe, expect, it } from 'vitest'
import { AuthError, type AuthEvent, type TokenServiceOptions } from '../../src/index.js'
import { nextTurn } from '../support/next-turn.js'
import { outcomeOf } from '../support/outcome.js'
import { createTestService } from '../support/test-service.js'
import { startOfTests } from '../support/test-system.js'
import { unhandledRejectionsDuring } from '../support/unhandled-rejections.js'

/** Everything that announces an event: a login, a refresh, a replay, a revocation, and the host's own endings. */
const liveThrough = async (options: Partial<TokenServiceOptions>) => {
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

describe('the events a host hears', () => {
  it('are one for each session that opens or ends, and one for a replay', async () => {
    const { events, outcomes } = await liveThrough({})
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

  it('tell of a login who and when', async () => {
    const { events, login, system } = createTestService()
    system.advance(7)
    const { sessionId } = await login()
    expect(events).toEqual([{ type: 'session_created', userId: 1, sessionId, at: new Date(startOfTests + 7) }])
  })

  it('are frozen', async () => {
    const { events } = await liveThrough({})
    expect(events.map((event) => Object.isFrozen(event))).toEqual(events.map(() => true))
  })

  it('hold no token and no part of one', async () => {
    const { events, login } = createTestService()
    const { refreshToken, accessToken } = await login()
    const text = JSON.stringify(events)
    expect(text).not.toContain(refreshToken.slice(11, 33))
    expect(text).not.toContain(refreshToken.slice(-22))
    for (const part of accessToken.split('.')) expect(text).not.toContain(part)
  })

  it('come after what they tell of: a listener that looks finds it done', async () => {
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
  ])('because it %s changes no outcome, and onError hears of each failure', async (_, onEvent) => {
    let lived: Awaited<ReturnType<typeof liveThrough>> | undefined
    const unhandled = await unhandledRejectionsDuring(async () => {
      lived = await liveThrough({ onEvent })
      await nextTurn()
    })
    expect(unhandled).toEqual([])
    expect(lived?.outcomes).toEqual(expectedOutcomes)
    expect(lived?.errors).toHaveLength(9)
    expect(lived?.errors[0]).toMatchObject({
      code: 'jwt_auth_internal_error',
      cause: new Error('the log is full'),
    })
  })

  it('because it never ends holds nothing up', async () => {
    const heard: AuthEvent[] = []
    const { outcomes } = await liveThrough({
      onEvent: (event) => {
        heard.push(event)
        return new Promise<void>(() => {})
      },
    })
    expect(outcomes).toEqual(expectedOutcomes)
    expect(heard).toHaveLength(9)
  })

  it.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('beside an onError that %s changes no outcome, and the process lives', async (_, onError) => {
    let outcomes: readonly string[] = []
    const unhandled = await unhandledRejectionsDuring(async () => {
      outcomes = (await liveThrough({ onEvent: throwing, onError })).outcomes
    })
    expect(outcomes).toEqual(expectedOutcomes)
    expect(unhandled).toEqual([])
  })
})

describe('a report to onError', () => {
  it('reaches the host as it is', () => {
    const { service, errors } = createTestService()
    const error = new AuthError('jwt_auth_unavailable', { cause: new Error('down') })
    service.report(error)
    expect(errors).toEqual([error])
  })

  it.each([
    ['throws', throwing],
    ['rejects', rejecting],
  ])('never fails itself when onError %s', async (_, onError) => {
    const { service } = createTestService({ onError })
    const unhandled = await unhandledRejectionsDuring(async () => {
      service.report(new AuthError('jwt_auth_unavailable'))
    })
    expect(unhandled).toEqual([])
  })
})
