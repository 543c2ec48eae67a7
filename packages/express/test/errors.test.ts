import { describe, expect, it } from 'vitest'
import { AuthError, type SessionStorage, type User } from '../src/index.js'
import { breakableStorage, type StorageMethod, storageFailure } from './support/breakable-storage.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectAnswer,
  forbidden,
  internalError,
  invalidToken,
  loginFailed,
  noAuthHeader,
  rateLimited,
  revokeFailed,
  unavailable,
  validToken,
  withoutDate,
} from './support/expected-answers.js'
import {
  bearer,
  json,
  openSession,
  readTokens,
  refresh,
  requestRefresh,
  requestRevocation,
  requestToken,
  requestValidation,
  type Tokens,
} from './support/flows.js'
import { testSecret } from './support/forge-token.js'
import { frameworks } from './support/frameworks.js'
import type { Answer } from './support/http-client.js'
import { startHost, type TestHost } from './support/test-host.js'
import { adaFields, createTestUsers, password, type UsersMethod } from './support/test-users.js'

interface Operation {
  readonly name: string
  readonly request: (host: TestHost, tokens: Tokens) => Promise<Answer>
}

const token: Operation = { name: 'POST /token', request: (host) => requestToken(host) }
const refreshing: Operation = {
  name: 'POST /token/refresh',
  request: (host, { refreshToken }) => requestRefresh(host, refreshToken),
}
const validate: Operation = {
  name: 'POST /token/validate',
  request: (host, tokens) => requestValidation(host, tokens.token),
}
const revoke: Operation = {
  name: 'POST /token/revoke',
  request: (host, tokens) => requestRevocation(host, tokens.token),
}
const me: Operation = {
  name: 'GET /me',
  request: ({ send }, tokens) => send('GET', '/jwt-auth/v1/me', bearer(tokens.token)),
}
const guarded: Operation = {
  name: 'a guarded route',
  request: ({ send }, tokens) => send('GET', '/reports', bearer(tokens.token)),
}

const onStorage: readonly (Operation & { readonly method: StorageMethod })[] = [
  { ...token, method: 'create' },
  { ...refreshing, method: 'findBySelectorHash' },
  { ...refreshing, method: 'rotate' },
  { ...validate, method: 'findByIds' },
  { ...me, method: 'findByIds' },
  { ...guarded, method: 'findByIds' },
]

const onUsers: readonly (Operation & { readonly method: UsersMethod })[] = [
  { ...token, method: 'findByUsername' },
  { ...token, method: 'verifyPassword' },
  { ...token, method: 'findById' },
  { ...refreshing, method: 'findById' },
  { ...me, method: 'findById' },
]

const titled = <Row extends { readonly name: string; readonly method: string }>(
  rows: readonly Row[],
): (readonly [string, Row['method'], Row])[] => rows.map((row) => [row.name, row.method, row] as const)

const listenerFailure = new Error('the log is full')

const failAtOnce = (): void => {
  throw listenerFailure
}

const failLater = async (): Promise<void> => {
  throw listenerFailure
}

/** What the host heard: codes and the cause of each. */
const heard = ({ reports }: TestHost): unknown[] => reports.map(({ code, cause }) => [code, cause])

describe.each(byName(frameworks))('failures on %s', (_, framework) => {
  describe('of storage', () => {
    it.each(titled(onStorage))('are answered 503 by %s when %s rejects', async (_name, method, { request }) => {
      const host = await startHost(framework)
      const tokens = await openSession(host)
      host.storage.breakDown(method)

      expectAnswer(await request(host, tokens), unavailable)
      expect(heard(host)).toStrictEqual([['jwt_auth_unavailable', storageFailure]])
    })

    it.each(titled(onStorage))('by %s are over once %s works again', async (_name, method, { request }) => {
      const host = await startHost(framework)
      const tokens = await openSession(host)
      host.storage.breakDown(method)
      await request(host, tokens)
      host.storage.comeBack()

      expect(await request(host, tokens)).toMatchObject({ status: 200 })
    })

    it('never reach the body of an answer', async () => {
      const host = await startHost(framework)
      const tokens = await openSession(host)
      host.storage.breakDown('create', 'findByIds', 'findBySelectorHash', 'end')
      const operations = [token, refreshing, validate, revoke, me, guarded]
      const answers = await Promise.all(operations.map(({ request }) => request(host, tokens)))

      expect(answers.map(({ status }) => status)).toStrictEqual([503, 503, 503, 500, 503, 503])
      expect(JSON.stringify(answers)).not.toMatch(/ECONNREFUSED|db\.internal|stack|\.ts|\.js/)
    })

    it('are told to the host from revoke too', async () => {
      const host = await startHost(framework)
      const tokens = await openSession(host)
      host.storage.breakDown('end')
      await revoke.request(host, tokens)

      expect(heard(host)).toStrictEqual([['jwt_auth_revoke_failed', storageFailure]])
    })

    it('while a replayed refresh token ends its session are answered 503, and a retry ends it', async () => {
      const host = await startHost(framework)
      const first = await openSession(host)
      const second = await refresh(host, first.refreshToken)
      host.clock.advanceSeconds(31)
      host.storage.breakDown('end')
      expectAnswer(await requestRefresh(host, first.refreshToken), unavailable)

      host.storage.comeBack()
      expect(await requestRefresh(host, first.refreshToken)).toMatchObject({ status: 403 })
      expectAnswer(await requestValidation(host, second.token), invalidToken())
    })

    it('that lose the answer of a rotation leave the client able to refresh again', async () => {
      const host = await startHost(framework)
      const { refreshToken } = await openSession(host)
      host.storage.loseAnswers('rotate')
      expectAnswer(await requestRefresh(host, refreshToken), unavailable)

      host.storage.comeBack()
      const answer = await requestRefresh(host, refreshToken)
      expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    })

    it('stay 401 where the token proves nothing', async () => {
      const host = await startHost(framework)
      host.storage.breakDown('findByIds')

      expectAnswer(await host.send('GET', '/reports'), noAuthHeader)
      expectAnswer(await host.send('GET', '/reports', bearer('abc')), invalidToken())
    })

    it.each([
      ['findByIds', { findByIds: async () => undefined }, validate],
      ['findBySelectorHash', { findBySelectorHash: async () => 'yes' }, refreshing],
      ['rotate', { rotate: async () => true }, refreshing],
    ])('are answers of %s outside its contract too: 503', async (_, nonsense, { request }) => {
      const storage = Object.assign<SessionStorage, object>(breakableStorage(), nonsense)
      const host = await startHost(framework, { options: { storage } })

      expectAnswer(await request(host, await openSession(host)), unavailable)
      expect(host.reports.map(({ code }) => code)).toStrictEqual(['jwt_auth_unavailable'])
    })

    it('are answers of end outside its contract too: 500 from revoke', async () => {
      const nonsense = { end: async () => ({ outcome: 'maybe' }) }
      const storage = Object.assign<SessionStorage, object>(breakableStorage(), nonsense)
      const host = await startHost(framework, { options: { storage } })

      expectAnswer(await requestRevocation(host, (await openSession(host)).token), revokeFailed)
    })
  })

  describe('of users', () => {
    it.each(titled(onUsers))('are answered 503 by %s when %s rejects', async (_name, method, { request }) => {
      const host = await startHost(framework)
      const tokens = await openSession(host)
      const failure = new Error('the directory is down')
      host.users.rejectWith(method, failure)

      expectAnswer(await request(host, tokens), unavailable)
      expect(heard(host)).toStrictEqual([['jwt_auth_unavailable', failure]])
    })

    it.each(titled(onUsers))('are answered as %s says when %s rejects with 429', async (_name, method, { request }) => {
      const host = await startHost(framework)
      const tokens = await openSession(host)
      host.users.rejectWith(method, new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 7 }))

      expectAnswer(await request(host, tokens), rateLimited(7))
      expect(host.reports).toStrictEqual([])
    })

    it('leave no session behind when they come after the password was found right', async () => {
      const host = await startHost(framework)
      host.users.rejectWith('findById', new Error('the directory is down'))
      await requestToken(host)

      expect(await host.auth.sessions.list(7)).toStrictEqual([])
    })

    it('by too many attempts are answered alike for right and wrong passwords', async () => {
      const host = await startHost(framework)
      host.users.rejectWith('verifyPassword', new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 7 }))
      const right = withoutDate(await requestToken(host))

      expect(withoutDate(await requestToken(host, 'ada', 'wrong'))).toStrictEqual(right)
      expect(withoutDate(await requestToken(host, 'nobody', 'wrong'))).toStrictEqual(right)
    })

    it('by too many attempts name a second where the directory names no time', async () => {
      const host = await startHost(framework)
      host.users.rejectWith('verifyPassword', new AuthError('jwt_auth_rate_limited'))

      expectAnswer(await requestToken(host), rateLimited(1))
    })

    it.each(['id', 'email', 'nicename', 'displayName'])('that lack %s are answered 500', async (field) => {
      const user: User = { id: 7, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada' }
      const incomplete = { ...user, [field]: undefined }
      const find = async () => incomplete
      const users = { findByUsername: find, findById: find, verifyPassword: async () => true }
      const host = await startHost(framework, { options: { users } })

      expectAnswer(await requestToken(host), internalError)
      expect(host.reports.map(({ code, cause }) => [code, String(cause)])).toStrictEqual([
        ['jwt_auth_internal_error', expect.stringContaining(`\`${field}\``)],
      ])
    })
  })

  describe('of the host', () => {
    it('in the device option are answered 500, and the host hears why', async () => {
      const failure = new Error('no device')
      const device = () => {
        throw failure
      }
      const host = await startHost(framework, { options: { device } })

      expectAnswer(await requestToken(host), internalError)
      expect(heard(host)).toStrictEqual([['jwt_auth_internal_error', failure]])
    })

    it.each([
      ['at once', failAtOnce],
      ['later', failLater],
    ])('in onError change nothing for the client: %s', async (_, onError) => {
      const host = await startHost(framework, { options: { onError } })
      host.storage.breakDown('create')

      expectAnswer(await requestToken(host), unavailable)
    })

    it.each([
      ['at once', failAtOnce],
      ['later', failLater],
    ])('in onEvent change nothing for the client and are told to onError: %s', async (_, onEvent) => {
      const host = await startHost(framework, { options: { onEvent } })
      const answer = await requestToken(host)

      expectAnswer(answer, authenticated(readTokens(answer), adaFields))
      expect(heard(host)).toStrictEqual([['jwt_auth_internal_error', listenerFailure]])
    })

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
        { name: 'nothing', thrown: undefined, expected: internalError, reports: ['jwt_auth_internal_error'] },
      ]),
    )('are answered in the same shape by sendError: %s', async (_, { thrown, expected, reports }) => {
      const host = await startHost(framework, {
        routes: (auth) => [{ path: '/failing', run: (_req, res) => auth.sendError(res, thrown) }],
      })

      expectAnswer(await host.send('GET', '/failing'), expected)
      expect(host.reports.map(({ code }) => code)).toStrictEqual(reports)
    })
  })

  describe('that only the application can fix', () => {
    const adasOtherId = { findById: async () => undefined }
    const plainText = { passwordHash: password }

    it.each<[string, (host: TestHost) => void, object, RegExp]>([
      ['a plain text password', ({ users }) => users.change('ada', plainText), {}, /the stored password hash is plain/],
      ['a findById that finds nobody', () => {}, adasOtherId, /`users.findById` found no user/],
    ])('are answered like a wrong password and told to onError once: %s', async (_name, prepare, changes, report) => {
      const users = createTestUsers()
      const host = await startHost(framework, { options: { users: { ...users, ...changes } } })
      prepare({ ...host, users })
      const wrong = withoutDate(await requestToken(host, 'ada', 'wrong'))
      const right = await requestToken(host)

      expectAnswer(right, loginFailed)
      expect(withoutDate(right)).toStrictEqual(wrong)
      await requestToken(host)
      expect(host.reports.map(({ code, cause }) => [code, String(cause)])).toStrictEqual([
        ['jwt_auth_failed', expect.stringMatching(report)],
      ])
    })
  })

  describe('of the client', () => {
    it('are never told to the host', async () => {
      const host = await startHost(framework)
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
  })

  it('never hold a secret, a token or a password in what the host hears', async () => {
    const host = await startHost(framework)
    const tokens = await openSession(host)
    host.storage.breakDown('create', 'findByIds', 'findBySelectorHash', 'end')
    for (const { request } of [token, refreshing, validate, revoke, me, guarded]) await request(host, tokens)
    const all = JSON.stringify(
      host.reports.map((report) => [report, report.message, report.detail, String(report.cause)]),
    )

    expect(host.reports).toHaveLength(6)
    for (const secret of [tokens.token, tokens.refreshToken, password, testSecret]) expect(all).not.toContain(secret)
  })

  it('end with the service answering as before', async () => {
    const host = await startHost(framework)
    const tokens = await openSession(host)
    host.storage.breakDown('findByIds')
    await validate.request(host, tokens)
    host.storage.comeBack()

    expectAnswer(await validate.request(host, tokens), validToken)
  })
})
