import { bearer, type HttpResponse, json } from '@jwt-auth/test-support/http-client'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AuthError, type SessionStorage, type User } from '../src/index.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectResponse,
  forbidden,
  internalError,
  invalidToken,
  loginFailed,
  noAuthHeader,
  rateLimited,
  revokeFailed,
  unavailable,
  withoutDate,
} from './support/expected-responses.js'
import {
  openSession,
  readTokens,
  refresh,
  requestRefresh,
  requestRevocation,
  requestToken,
  requestValidation,
  type Tokens,
} from './support/flows.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { createGatedStorage, type StorageMethod, storageFailure } from './support/gated-storage.js'
import { startHost, type TestHost } from './support/test-host.js'
import { adaFields, createTestUsers, password, type UsersMethod } from './support/test-users.js'

// The reports of an `onError` that fails go to stderr.
beforeEach(() => void vi.spyOn(process.stderr, 'write').mockReturnValue(true))
afterEach(() => void vi.restoreAllMocks())

interface Operation {
  readonly name: string
  readonly request: (host: TestHost, tokens: Tokens) => Promise<HttpResponse>
}

const login: Operation = { name: 'POST /token', request: (host) => requestToken(host) }
const refreshing: Operation = {
  name: 'POST /token/refresh',
  request: (host, { refreshToken }) => requestRefresh(host, refreshToken),
}
const validate: Operation = {
  name: 'POST /token/validate',
  request: (host, { token }) => requestValidation(host, token),
}
const revoke: Operation = {
  name: 'POST /token/revoke',
  request: (host, { token }) => requestRevocation(host, token),
}
const me: Operation = {
  name: 'GET /me',
  request: ({ send }, { token }) => send('GET', '/jwt-auth/v1/me', bearer(token)),
}
const guarded: Operation = {
  name: 'a guarded route',
  request: ({ send }, { token }) => send('GET', '/reports', bearer(token)),
}
const operations = [login, refreshing, validate, revoke, me, guarded]

const onStorage: readonly (Operation & { readonly method: StorageMethod })[] = [
  { ...login, method: 'create' },
  { ...refreshing, method: 'findBySelectorHash' },
  { ...refreshing, method: 'rotate' },
  { ...validate, method: 'findByIds' },
  { ...me, method: 'findByIds' },
  { ...guarded, method: 'findByIds' },
]

const onUsers: readonly (Operation & { readonly method: UsersMethod })[] = [
  { ...login, method: 'findByUsername' },
  { ...login, method: 'verifyPassword' },
  { ...login, method: 'findById' },
  { ...refreshing, method: 'findById' },
  { ...me, method: 'findById' },
]

const titled = <Row extends { readonly name: string; readonly method: string }>(
  rows: readonly Row[],
): (readonly [string, Row['method'], Row])[] => rows.map((row) => [row.name, row.method, row] as const)

const listenerFailure = new Error('the log is full')

const listeners = byName([
  {
    name: 'throws',
    listener: () => {
      throw listenerFailure
    },
  },
  {
    name: 'rejects',
    listener: async () => {
      throw listenerFailure
    },
  },
])

/** The codes and causes that `onError` received. */
const reportsOf = ({ reports }: TestHost): unknown[] => reports.map(({ code, cause }) => [code, cause])

describe.each(byName(frameworks))('a failure on %s', (_, framework) => {
  it.each(byName([login, guarded]))(
    'of storage responds with 503 at %s, and the next request succeeds',
    async (_, { request }) => {
      const host = await startHost(framework)
      const tokens = await openSession(host)
      host.storage.fail(storageFailure, 'create', 'findByIds')
      expectResponse(await request(host, tokens), unavailable)
      host.storage.open()

      expect(await request(host, tokens)).toMatchObject({ status: 200 })
      expect(reportsOf(host)).toStrictEqual([['jwt_auth_unavailable', storageFailure]])
    },
  )

  it.each(
    byName([
      {
        name: 'an AuthError',
        thrown: new AuthError('jwt_auth_forbidden', { detail: 'echo-me' }),
        expected: forbidden,
        reports: [],
      },
      { name: 'an Error', thrown: storageFailure, expected: internalError, reports: ['jwt_auth_internal_error'] },
      { name: 'a text', thrown: 'echo-me', expected: internalError, reports: ['jwt_auth_internal_error'] },
      { name: 'no value', thrown: undefined, expected: internalError, reports: ['jwt_auth_internal_error'] },
    ]),
  )(
    'that an application passes to sendError is sent in the shape of every error: %s',
    async (_, { thrown, expected, reports }) => {
      const host = await startHost(framework, {
        routes: (auth) => [{ path: '/failing', run: (_req, res) => auth.sendError(res, thrown) }],
      })

      expectResponse(await host.send('GET', '/failing'), expected)
      expect(host.reports.map(({ code }) => code)).toStrictEqual(reports)
    },
  )
})

describe('a failure of storage', () => {
  it.each(titled(onStorage))('responds with 503 at %s when %s rejects', async (_name, method, { request }) => {
    const host = await startHost(express5Framework)
    const tokens = await openSession(host)
    host.storage.fail(storageFailure, method)

    expectResponse(await request(host, tokens), unavailable)
    expect(reportsOf(host)).toStrictEqual([['jwt_auth_unavailable', storageFailure]])
  })

  it('responds with 500 at POST /token/revoke and is reported', async () => {
    const host = await startHost(express5Framework)
    const tokens = await openSession(host)
    host.storage.fail(storageFailure, 'end')

    expectResponse(await revoke.request(host, tokens), revokeFailed)
    expect(reportsOf(host)).toStrictEqual([['jwt_auth_revoke_failed', storageFailure]])
  })

  it('never reaches the body of a response', async () => {
    const host = await startHost(express5Framework)
    const tokens = await openSession(host)
    host.storage.fail(storageFailure, 'create', 'findByIds', 'findBySelectorHash', 'end')
    const responses = await Promise.all(operations.map(({ request }) => request(host, tokens)))

    expect(responses.map(({ status }) => status)).toStrictEqual([503, 503, 503, 500, 503, 503])
    expect(JSON.stringify(responses)).not.toMatch(/ECONNREFUSED|db\.internal|stack|\.ts|\.js/)
  })

  it('responds with 503 while a replayed refresh token ends its session, and a retry ends the session', async () => {
    const host = await startHost(express5Framework)
    const first = await openSession(host)
    const second = await refresh(host, first.refreshToken)
    host.clock.advanceSeconds(31)
    host.storage.fail(storageFailure, 'end')
    expectResponse(await requestRefresh(host, first.refreshToken), unavailable)

    host.storage.open()
    expect(await requestRefresh(host, first.refreshToken)).toMatchObject({ status: 403 })
    expectResponse(await requestValidation(host, second.token), invalidToken())
  })

  it('that loses the result of a rotation leaves the client able to refresh again', async () => {
    const host = await startHost(express5Framework)
    const { refreshToken } = await openSession(host)
    host.storage.loseOutcomes(storageFailure, 'rotate')
    expectResponse(await requestRefresh(host, refreshToken), unavailable)

    host.storage.open()
    const response = await requestRefresh(host, refreshToken)
    expectResponse(response, authenticated(readTokens(response), adaFields))
  })

  it('does not change the response to a missing or a malformed token: 401', async () => {
    const host = await startHost(express5Framework)
    host.storage.fail(storageFailure, 'findByIds')

    expectResponse(await host.send('GET', '/reports'), noAuthHeader)
    expectResponse(await host.send('GET', '/reports', bearer('abc')), invalidToken())
  })

  it.each([
    ['findByIds', { findByIds: async () => undefined }, validate],
    ['findBySelectorHash', { findBySelectorHash: async () => 'yes' }, refreshing],
    ['rotate', { rotate: async () => true }, refreshing],
  ])('is also a result of %s outside its contract: 503', async (_, nonsense, { request }) => {
    const storage = Object.assign<SessionStorage, object>({ ...createGatedStorage().port }, nonsense)
    const host = await startHost(express5Framework, { options: { storage } })

    expectResponse(await request(host, await openSession(host)), unavailable)
    expect(host.reports.map(({ code }) => code)).toStrictEqual(['jwt_auth_unavailable'])
  })

  it('is also a result of end outside its contract: 500 at POST /token/revoke', async () => {
    const nonsense = { end: async () => ({ outcome: 'maybe' }) }
    const storage = Object.assign<SessionStorage, object>({ ...createGatedStorage().port }, nonsense)
    const host = await startHost(express5Framework, { options: { storage } })

    expectResponse(await requestRevocation(host, (await openSession(host)).token), revokeFailed)
  })
})

describe('a failure of the user directory', () => {
  it.each(titled(onUsers))('responds with 503 at %s when %s rejects', async (_name, method, { request }) => {
    const host = await startHost(express5Framework)
    const tokens = await openSession(host)
    const failure = new Error('the directory is down')
    host.users.rejectWith(method, failure)

    expectResponse(await request(host, tokens), unavailable)
    expect(reportsOf(host)).toStrictEqual([['jwt_auth_unavailable', failure]])
  })

  it.each(titled(onUsers))('responds with 429 at %s when %s rejects with 429', async (_name, method, { request }) => {
    const host = await startHost(express5Framework)
    const tokens = await openSession(host)
    host.users.rejectWith(method, new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 7 }))

    expectResponse(await request(host, tokens), rateLimited(7))
    expect(host.reports).toStrictEqual([])
  })

  it('after a correct password leaves no session', async () => {
    const host = await startHost(express5Framework)
    host.users.rejectWith('findById', new Error('the directory is down'))
    await requestToken(host)

    expect(await host.auth.sessions.list(7)).toStrictEqual([])
  })

  it('by too many attempts has one response for correct and wrong passwords', async () => {
    const host = await startHost(express5Framework)
    host.users.rejectWith('verifyPassword', new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 7 }))
    const right = withoutDate(await requestToken(host))

    expect(withoutDate(await requestToken(host, 'ada', 'wrong'))).toStrictEqual(right)
    expect(withoutDate(await requestToken(host, 'nobody', 'wrong'))).toStrictEqual(right)
  })

  it('by too many attempts names one second when the directory names no time', async () => {
    const host = await startHost(express5Framework)
    host.users.rejectWith('verifyPassword', new AuthError('jwt_auth_rate_limited'))

    expectResponse(await requestToken(host), rateLimited(1))
  })

  it.each(['id', 'email'])('is also a user without %s: 500', async (field) => {
    const user: User = { id: 7, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada' }
    const incomplete = { ...user, [field]: undefined }
    const find = async () => incomplete
    const users = { findByUsername: find, findById: find, verifyPassword: async () => true }
    const host = await startHost(express5Framework, { options: { users } })

    expectResponse(await requestToken(host), internalError)
    expect(host.reports.map(({ code, cause }) => [code, String(cause)])).toStrictEqual([
      ['jwt_auth_internal_error', expect.stringContaining(`\`${field}\``)],
    ])
  })
})

describe('a failure of the application', () => {
  it('in the option device responds with 500 and is reported', async () => {
    const failure = new Error('no device')
    const device = () => {
      throw failure
    }
    const host = await startHost(express5Framework, { options: { device } })

    expectResponse(await requestToken(host), internalError)
    expect(reportsOf(host)).toStrictEqual([['jwt_auth_internal_error', failure]])
  })

  it.each(listeners)('in an onError that %s does not change the response', async (_, { listener }) => {
    const host = await startHost(express5Framework, { options: { onError: listener } })
    host.storage.fail(storageFailure, 'create')

    expectResponse(await requestToken(host), unavailable)
  })

  it.each(listeners)('in an onEvent that %s does not change the response and is reported', async (_, { listener }) => {
    const host = await startHost(express5Framework, { options: { onEvent: listener } })
    const response = await requestToken(host)

    expectResponse(response, authenticated(readTokens(response), adaFields))
    // Of `session_created` and of `login_succeeded`.
    const report = ['jwt_auth_internal_error', listenerFailure]
    expect(reportsOf(host)).toStrictEqual([report, report])
  })

  const plainText = { passwordHash: password }

  it.each<[string, (host: TestHost) => void, object, RegExp]>([
    ['a plain text password', ({ users }) => users.change('ada', plainText), {}, /the stored password hash is plain/],
    ['a findById that finds nobody', () => {}, { findById: async () => undefined }, /`users.findById` found no user/],
  ])('in %s has the response to a wrong password and is reported once', async (_name, prepare, changes, report) => {
    const users = createTestUsers()
    const host = await startHost(express5Framework, { options: { users: { ...users, ...changes } } })
    prepare({ ...host, users })
    const wrong = withoutDate(await requestToken(host, 'ada', 'wrong'))
    const right = await requestToken(host)

    expectResponse(right, loginFailed)
    expect(withoutDate(right)).toStrictEqual(wrong)
    await requestToken(host)
    expect(host.reports.map(({ code, cause }) => [code, String(cause)])).toStrictEqual([
      ['jwt_auth_failed', expect.stringMatching(report)],
    ])
  })
})

describe('onError', () => {
  it('is not called for failures of the client', async () => {
    const host = await startHost(express5Framework)
    await requestToken(host, 'nobody')
    await host.send('POST', '/jwt-auth/v1/token', json({}))
    await host.send('POST', '/jwt-auth/v1/token', { body: 'x' })
    await host.send('GET', '/jwt-auth/v1/token')
    await host.send('GET', '/jwt-auth/v1/nope')
    await host.send('GET', '/reports', bearer('abc'))
    await requestRefresh(host, 'abc')
    await requestRevocation(host, 'abc')

    expect(host.reports).toStrictEqual([])
  })

  it('receives no secret, no token and no password', async () => {
    const host = await startHost(express5Framework)
    const tokens = await openSession(host)
    host.storage.fail(storageFailure, 'create', 'findByIds', 'findBySelectorHash', 'end')
    for (const { request } of operations) await request(host, tokens)
    const all = JSON.stringify(
      host.reports.map((report) => [report, report.message, report.detail, String(report.cause)]),
    )

    expect(host.reports).toHaveLength(6)
    for (const secret of [tokens.token, tokens.refreshToken, password, testSecret]) expect(all).not.toContain(secret)
  })
})
