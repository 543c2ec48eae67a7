import { bearer, type HttpResponse, json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../src/index.js'
import { byName } from './support/by-name.js'
import {
  expectResponse,
  forbidden,
  internalError,
  revokeFailed,
  unavailable,
  withoutDate,
} from './support/expected-responses.js'
import {
  openSession,
  requestRefresh,
  requestRevocation,
  requestToken,
  requestValidation,
  type Tokens,
} from './support/flows.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { startHost, type TestHost } from './support/test-host.js'

type Operation = (host: TestHost, tokens: Tokens) => Promise<HttpResponse>

const login: Operation = (host) => requestToken(host)
const guarded: Operation = ({ send }, { token }) => send('GET', '/reports', bearer(token))
const operations: readonly Operation[] = [
  login,
  (host, { refreshToken }) => requestRefresh(host, refreshToken),
  (host, { token }) => requestValidation(host, token),
  (host, { token }) => requestRevocation(host, token),
  ({ send }, { token }) => send('GET', '/jwt-auth/v1/me', bearer(token)),
  guarded,
]
/** The codes and causes that `onError` received. */
const reportsOf = ({ reports }: TestHost): unknown[] => reports.map(({ code, cause }) => [code, cause])

describe.each(byName(frameworks))('a failure on %s', (_, framework) => {
  it.each([
    ['POST /token', login],
    ['a guarded route', guarded],
  ])('of storage responds with 503 at %s, and the next request succeeds', async (_, request) => {
    const host = await startHost(framework)
    const tokens = await openSession(host)
    host.storage.fail(storageFailure, 'create', 'findByIds')
    expectResponse(await request(host, tokens), unavailable)
    host.storage.open()
    expect(await request(host, tokens)).toMatchObject({ status: 200 })
    expect(reportsOf(host)).toStrictEqual([['jwt_auth_unavailable', storageFailure]])
  })

  it.each([
    ['an AuthError', new AuthError('jwt_auth_forbidden', { detail: 'echo-me' }), forbidden, []],
    ['an Error', storageFailure, internalError, ['jwt_auth_internal_error']],
    ['a text', 'echo-me', internalError, ['jwt_auth_internal_error']],
    ['no value', undefined, internalError, ['jwt_auth_internal_error']],
  ])('that an application passes to sendError is sent as %s', async (_, thrown, expected, reports) => {
    const host = await startHost(framework, {
      routes: (auth) => [{ path: '/failing', run: (_req, res) => auth.sendError(res, thrown) }],
    })
    expectResponse(await host.send('GET', '/failing'), expected)
    expect(host.reports.map(({ code }) => code)).toStrictEqual(reports)
  })
})

describe('a failure of storage', () => {
  it('responds with 500 at POST /token/revoke and is reported', async () => {
    const host = await startHost(express5Framework)
    const { token } = await openSession(host)
    host.storage.fail(storageFailure, 'end')
    expectResponse(await requestRevocation(host, token), revokeFailed)
    expect(reportsOf(host)).toStrictEqual([['jwt_auth_revoke_failed', storageFailure]])
  })
  it('never reaches the body of a response', async () => {
    const host = await startHost(express5Framework)
    const tokens = await openSession(host)
    host.storage.fail(storageFailure, 'create', 'findByIds', 'findBySelectorHash', 'end')
    const responses = await Promise.all(operations.map((request) => request(host, tokens)))

    expect(responses.map(({ status }) => status)).toStrictEqual([503, 503, 503, 500, 503, 503])
    expect(JSON.stringify(responses)).not.toMatch(/ECONNREFUSED|db\.internal|stack|\.ts|\.js/)
  })
})

describe('a failure of the user directory', () => {
  it('by too many attempts has one response for correct and wrong passwords', async () => {
    const host = await startHost(express5Framework)
    host.users.rejectWith('verifyPassword', new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 7 }))
    const right = withoutDate(await requestToken(host))

    expect(withoutDate(await requestToken(host, 'ada', 'wrong'))).toStrictEqual(right)
    expect(withoutDate(await requestToken(host, 'nobody', 'wrong'))).toStrictEqual(right)
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
})
