import { bearer, type HttpResponse, json } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import type { AuthEvent } from '../src/index.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectResponse,
  invalidToken,
  methodNotAllowed,
  noAuthHeader,
  noRoute,
  success,
  withoutDate,
} from './support/expected-responses.js'
import {
  logIn,
  openSession,
  readTokens,
  refresh,
  requestRefresh,
  requestRevocation,
  requestToken,
  requestValidation,
  sessionOf,
} from './support/flows.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { hostResponse, startHost, type TestHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const options = { sessionRoutes: true }

const requestSessions = ({ send }: TestHost, token: string): Promise<HttpResponse> =>
  send('GET', '/jwt-auth/v1/sessions', bearer(token))

const requestEnd = ({ send }: TestHost, token: string, id: string): Promise<HttpResponse> =>
  send('DELETE', `/jwt-auth/v1/sessions/${id}`, bearer(token))

describe.each(byName(frameworks))('GET /sessions on %s', (_, framework) => {
  it('lists the active sessions of the caller, the newest first, and marks the current session', async () => {
    const host = await startHost(framework, { options })
    await logIn(host, 'brian')
    await requestRevocation(host, (await logIn(host)).token)
    const { sessionId: phone } = await host.auth.sessions.create(7, {
      device: { label: 'Phone' },
      attributes: { tenant: 'north' },
    })
    host.clock.advanceSeconds(60)
    const headers = { 'User-Agent': 'Kiosk/1' }
    const { token } = readTokens(
      await host.send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password }, headers)),
    )
    const local = expect.stringContaining('127.0.0.1')
    const of = (time: string) => ({
      created_at: `2030-01-02T03:0${time}:05.000Z`,
      last_used_at: `2030-01-02T03:0${time}:05.000Z`,
      expires_at: `2030-02-01T03:0${time}:05.000Z`,
    })
    const noDevice = { user_agent: null, ip_address: null, last_user_agent: null, last_ip_address: null }
    const kiosk = { user_agent: 'Kiosk/1', ip_address: local, last_user_agent: 'Kiosk/1', last_ip_address: local }

    expectResponse(
      await requestSessions(host, token),
      success({
        sessions: [
          { id: sessionOf(token), current: true, ...of('5'), ...kiosk, label: null, bound: false },
          { id: phone, current: false, ...of('4'), ...noDevice, label: 'Phone', bound: false },
        ],
      }),
    )
  })
})

describe.each(byName(frameworks))('DELETE /sessions/:id on %s', (_, framework) => {
  it('ends a session of the caller, also one that has ended, and leaves the others active', async () => {
    const host = await startHost(framework, { options })
    const [stolen, mine] = [await logIn(host), await logIn(host)]
    for (let count = 0; count < 2; count += 1) {
      const response = await requestEnd(host, mine.token, sessionOf(stolen.token))
      expect(response).toMatchObject({ status: 204, text: '', headers: { 'cache-control': 'no-store' } })
      expect(response.headers).not.toHaveProperty('content-length')
    }

    expectResponse(await requestValidation(host, stolen.token), invalidToken())
    expect(await requestRefresh(host, stolen.refreshToken)).toMatchObject({ status: 403 })
    expect(await requestRefresh(host, mine.refreshToken)).toMatchObject({ status: 200 })
  })
})

describe('DELETE /sessions/:id', () => {
  it('responds in the same way for a session of another user and for an unknown one, and ends none', async () => {
    const host = await startHost(express5Framework, { options })
    const [{ token }, ofBrian] = [await logIn(host), await logIn(host, 'brian')]
    const id = sessionOf(ofBrian.token)
    const unknown = await requestEnd(host, token, 'A'.repeat(id.length))

    expectResponse(unknown, {
      ...success({ code: 'jwt_auth_token_not_found', message: 'Session not found', data: { status: 404 } }),
      status: 404,
    })
    for (const other of [id, `${id}x`, '%00', '*', 'me'])
      expect(withoutDate(await requestEnd(host, token, other))).toStrictEqual(withoutDate(unknown))
    expect(await requestValidation(host, ofBrian.token)).toMatchObject({ status: 200 })
    expect(await requestValidation(host, token)).toMatchObject({ status: 200 })
  })
})

describe('the session routes', () => {
  const requests = [
    ['GET', ''],
    ['DELETE', '/:id'],
  ] as const

  it.each(requests)('respond to %s %s with 401 without an active session, and end none', async (method, below) => {
    const host = await startHost(express5Framework, { options })
    const [other, revoked] = [await logIn(host), await logIn(host)]
    await requestRevocation(host, revoked.token)
    const path = `/jwt-auth/v1/sessions${below.replace(':id', sessionOf(other.token))}`

    expectResponse(await host.send(method, path), noAuthHeader)
    expectResponse(await host.send(method, path, bearer(revoked.token)), invalidToken())
    expectResponse(await host.send(method, path, bearer(other.refreshToken)), invalidToken())
    expectResponse(await host.send(method, `${path}?access_token=${other.token}`), noAuthHeader)
    expect(await requestValidation(host, other.token)).toMatchObject({ status: 200 })
  })

  it('respond with 405 to other methods, pass OPTIONS on, and leave longer paths to the routes', async () => {
    const { send } = await startHost(express5Framework, { options })
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expectResponse(await send(method, '/jwt-auth/v1/sessions'), methodNotAllowed('GET, HEAD'))
    for (const method of ['GET', 'POST', 'PUT', 'PATCH'])
      expectResponse(await send(method, '/jwt-auth/v1/sessions/a'), methodNotAllowed('DELETE'))
    for (const path of ['/jwt-auth/v1/sessions', '/jwt-auth/v1/sessions/a', '/sessions', '/sessions/a'])
      expect(await send('OPTIONS', path)).toMatchObject({ status: 200, text: hostResponse })
    expectResponse(await send('GET', '/jwt-auth/v1/sessions//'), noRoute)
    expectResponse(await send('DELETE', '/jwt-auth/v1/sessionsa'), noRoute)
  })

  it('do not exist without the option', async () => {
    const host = await startHost(express5Framework, { options: { namespace: '/auth' } })
    const { token } = await openSession(host)

    expectResponse(await host.send('GET', '/auth/sessions', bearer(token)), noRoute)
    expectResponse(await host.send('DELETE', `/auth/sessions/${sessionOf(token)}`, bearer(token)), noRoute)
    expect(await requestValidation(host, token)).toMatchObject({ status: 200, text: hostResponse })
    expect(await host.auth.sessions.list(7)).toHaveLength(1)
  })
})

describe('sessions', () => {
  describe('create', () => {
    it('creates what sendTokens sends as the response to a login, headers included', async () => {
      const host = await startHost(express5Framework, {
        routes: (auth) => [
          { path: '/sign-up', run: async (_req, res) => auth.sendTokens(res, await auth.sessions.create(7)) },
        ],
      })
      const response = await host.send('GET', '/sign-up')

      expectResponse(response, authenticated(readTokens(response), adaFields))
    })
  })

  describe('list', () => {
    it.each(byName(frameworks))(
      'contains the user agent and the address of the login and of the last refresh on %s',
      async (_, framework) => {
        const { send, auth } = await startHost(framework)
        const [kiosk, phone] = [
          { 'User-Agent': 'Kiosk/1', 'X-Forwarded-For': '192.0.2.7' },
          { 'User-Agent': 'Phone/2' },
        ]
        const login = await send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password }, kiosk))
        const { refreshToken } = readTokens(login)
        await send('POST', '/jwt-auth/v1/token/refresh', json({ refresh_token: refreshToken }, phone))
        const ipAddress = expect.stringContaining('127.0.0.1')
        const last = { lastUserAgent: 'Phone/2', lastIpAddress: ipAddress }
        expect(await auth.sessions.list(7)).toMatchObject([{ userAgent: 'Kiosk/1', ipAddress, label: null, ...last }])
      },
    )

    it('contains what the option device returns for a login', async () => {
      const host = await startHost(express5Framework, {
        options: { device: (req) => ({ label: `${req.method} ${req.headers['x-device']}` }) },
      })
      await host.send('POST', '/jwt-auth/v1/token', json({ username: 'ada', password }, { 'X-Device': 'phone' }))

      expect(await host.auth.sessions.list(7)).toMatchObject([
        { userAgent: null, ipAddress: null, label: 'POST phone' },
      ])
    })
  })
})

describe('an operation on sessions', () => {
  it('rejects with the headers of a response when storage fails', async () => {
    const { auth, storage } = await startHost(express5Framework)
    storage.fail(storageFailure, 'list')

    await expect(auth.sessions.list(7)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '1' } })
  })
})

describe('the events of sessions', () => {
  it('have the address of the client', async () => {
    const events: AuthEvent[] = []
    const host = await startHost(express5Framework, { options: { onEvent: (event) => events.push(event) } })
    const { token, refreshToken } = await logIn(host)
    await refresh(host, refreshToken)
    await requestRevocation(host, token)
    await requestToken(host, 'ada', 'wrong')

    const ipAddress = expect.stringContaining('127.0.0.1')
    expect(events).toMatchObject([
      { type: 'session_created', ipAddress },
      { type: 'login_succeeded', ipAddress },
      { type: 'session_refreshed', ipAddress },
      { type: 'session_ended', ipAddress },
      { type: 'login_failed', ipAddress },
    ])
  })
})
