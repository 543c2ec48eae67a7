import { AsyncLocalStorage } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { createCallGate } from '@jwt-auth/test-support/call-gate'
import { outcomeOf } from '@jwt-auth/test-support/outcome'
import { recordCalls } from '@jwt-auth/test-support/recorders'
import { createTestService } from '@jwt-auth/test-support/test-service'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { calls } from '../src/internal.js'
import { addressOf, createAttackedService } from './support/login-attempts.js'

const wrongLogin = { username: 'ann', password: 'wrong' }

/** Records the messages of a channel until the test ends. */
const recordMessages = (channel: string): readonly unknown[] => {
  const messages: unknown[] = []
  const record = (message: unknown): void => void messages.push(message)
  subscribe(channel, record)
  onTestFinished(() => void unsubscribe(channel, record))
  return messages
}

describe('the channel of operations', () => {
  it('names each method of the service, and contains the error of a method that fails', async () => {
    const { service, login } = createTestService({ rateLimits: false })
    const operations = recordCalls(calls.operation)
    const { accessToken, refreshToken, sessionId } = await login()
    await service.requirePassword(1, 'correct horse')
    await service.refresh(refreshToken)
    await service.authorize(accessToken)
    await service.authorizeUser(accessToken)
    await service.revoke(accessToken)
    await service.sessions.create(1)
    await service.sessions.list(1)
    await service.sessions.revoke(1, sessionId)
    await service.sessions.revokeAll(1)
    await service.sessions.revokeAllCreatedBefore(new Date(0))
    await service.sessions.purge()
    await outcomeOf(service.login(wrongLogin))
    await service.close()
    await outcomeOf(service.authorize(accessToken))
    const seen = operations.map(({ operation, error }) => (error === undefined ? operation : { operation, error }))
    expect(seen).toEqual([
      ...['login', 'requirePassword', 'refresh', 'authorize', 'authorizeUser', 'revoke'],
      ...['create', 'list', 'revoke', 'revokeAll', 'revokeAllCreatedBefore', 'purge'].map((name) => `sessions.${name}`),
      { operation: 'login', error: expect.objectContaining({ code: 'jwt_auth_failed' }) },
      { operation: 'authorize', error: expect.objectContaining({ code: 'jwt_auth_unavailable' }) },
    ])
  })

  it('contains the events of each operation, which onEvent receives too', async () => {
    const { service, login, events, activity } = createTestService({ refreshGraceSeconds: 0 })
    const operations = recordCalls(calls.operation)
    const { refreshToken } = await login()
    await service.refresh(refreshToken)
    await outcomeOf(service.refresh(refreshToken))
    expect(operations.map((one) => one.events.map(({ type }) => type))).toEqual([
      ['session_created', 'login_succeeded'],
      ['session_refreshed'],
      ['session_ended', 'refresh_token_replayed', 'request_rejected'],
    ])
    expect(new Set(operations.flatMap((one) => one.events))).toEqual(new Set([...events, ...activity]))
  })

  it('does not contain what an operation resolved to, such as tokens', async () => {
    const { login } = createTestService()
    const operations = recordCalls(calls.operation)
    const { accessToken, refreshToken } = await login()
    const text = JSON.stringify(operations)
    expect(operations).toHaveLength(1)
    expect([accessToken, refreshToken].filter((token) => text.includes(token))).toEqual([])
  })

  it('runs an operation in the context that a subscriber of start sets', async () => {
    const contexts = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const { login } = createTestService({ onEvent: ({ type }) => seen.push([type, contexts.getStore()]) })
    recordCalls(calls.operation, (call) => {
      call.within = (run) => contexts.run(call.operation, run)
    })
    await login()
    expect(seen).toEqual([
      ['session_created', 'login'],
      ['login_succeeded', 'login'],
    ])
  })
})

describe('the channel of storage calls', () => {
  it('names each method, and how many sessions a lookup by id finds at most', async () => {
    const { batchLookups: _, ...storage } = memoryStorage({ quiet: true })
    const { service, login } = createTestService({ storage })
    const storageCalls = recordCalls(calls.storage)
    const { accessToken } = await login()
    const other = await login()
    await Promise.all([service.authorize(accessToken), service.authorize(other.accessToken)])
    await service.refresh(other.refreshToken)
    await service.revoke(accessToken)
    const seen = storageCalls.map(({ operation, size }) => [operation, size])
    expect(seen).toEqual([
      ['create', undefined],
      ['list', undefined],
      ['create', undefined],
      ['list', undefined],
      ['findByIds', 2],
      ['findBySelectorHash', undefined],
      ['rotate', undefined],
      ['end', undefined],
    ])
  })

  it('contains the error of a call that fails, and publishes the call as failed and as ended', async () => {
    const gate = createCallGate(memoryStorage({ quiet: true }))
    gate.fail(new Error('connection lost'), 'findByIds')
    const { service, login } = createTestService({ storage: gate.port })
    const { accessToken } = await login()
    const storageCalls = recordCalls(calls.storage)
    const failed = recordMessages('tracing:jwt-auth:storage:error')
    await outcomeOf(service.authorize(accessToken))
    expect(failed).toEqual(storageCalls)
    expect(storageCalls).toMatchObject([
      {
        operation: 'findByIds',
        size: 1,
        error: { code: 'jwt_auth_unavailable', cause: { message: 'connection lost' } },
      },
    ])
  })
})

describe('the channel of limits', () => {
  it('names the limit of each attempt that a limit refused', async () => {
    const limits = recordMessages('jwt-auth:limit')
    const { failFrom } = createAttackedService({ rateLimits: { network: { points: 2, durationSeconds: 60 } } })
    await failFrom(addressOf(1), 5)
    expect(limits).toEqual([{ limit: 'network' }, { limit: 'network' }, { limit: 'network' }])
  })
})

describe('a channel without subscribers', () => {
  it('traces nothing', async () => {
    const traced = Object.values(calls).map(({ start }) => vi.spyOn(start, 'runStores'))
    onTestFinished(() => void vi.restoreAllMocks())
    const { service, login } = createTestService()
    const { accessToken } = await login()
    await service.authorize(accessToken)
    expect(traced.flatMap((spy) => spy.mock.calls)).toEqual([])
  })
})
