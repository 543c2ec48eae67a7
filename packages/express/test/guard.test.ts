import { isAuthError } from '@jwt-auth/core'
import { calls } from '@jwt-auth/core/internal'
import { bearer } from '@jwt-auth/test-support/http-client'
import { recordCalls } from '@jwt-auth/test-support/recorders'
import { describe, expect, it } from 'vitest'
import { AuthError, type AuthEvent, type GuardOptions } from '../src/index.js'
import { byName } from './support/by-name.js'
import {
  badAuthHeader,
  expectResponse,
  forbidden,
  internalError,
  invalidToken,
  loginTooOld,
  noAuthHeader,
  rateLimited,
  unavailable,
} from './support/expected-responses.js'
import { openSession, refresh, sessionOf } from './support/flows.js'
import { express5Framework, type Framework, frameworks } from './support/frameworks.js'
import { type HostSetup, respondWithCaller, startHost, type TestHost } from './support/test-host.js'

/** Starts a host with a guard of these options before its route `/guarded`. */
const startGuarded = (
  framework: Framework,
  guardOptions: GuardOptions,
  options: HostSetup['options'] = {},
): Promise<TestHost> =>
  startHost(framework, {
    options,
    routes: (auth) => [
      { path: '/guarded', run: auth.guard(guardOptions) },
      { path: '/guarded', run: respondWithCaller(auth) },
    ],
  })

const ada = { status: 200, text: '{"userId":7}' }
const anonymous = { status: 200, text: '{"userId":null}' }

// Which tokens are refused: access-token-check.test.ts.
describe.each(byName(frameworks))('the guard on %s', (_, framework) => {
  it('guards every method', async () => {
    const host = await startHost(framework)
    const { token } = await openSession(host)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      expectResponse(await host.send(method, '/reports'), noAuthHeader)
      expect(await host.send(method, '/reports', bearer(token))).toMatchObject(ada)
    }

    expectResponse(await host.send('HEAD', '/reports'), { ...noAuthHeader, body: undefined })
  })

  it('replaces what an earlier guard found', async () => {
    let authorization: string | undefined
    const host = await startHost(framework, {
      routes: (auth) => [
        { path: '/guarded', run: auth.guard({ optional: true }) },
        {
          path: '/guarded',
          run: (req, _res, next) => {
            req.headers.authorization = authorization
            next()
          },
        },
        { path: '/guarded', run: auth.guard() },
        { path: '/guarded', run: respondWithCaller(auth) },
      ],
    })
    authorization = `Bearer ${(await openSession(host)).token}`

    expect(await host.send('GET', '/guarded')).toMatchObject(ada)
  })

  it('never runs the route for a request that it refuses', async () => {
    let runs = 0
    const host = await startHost(framework, {
      routes: (auth) => [
        { path: '/counted', run: auth.guard() },
        {
          path: '/counted',
          run: (_req, res) => {
            runs += 1
            res.end()
          },
        },
      ],
    })
    await host.send('GET', '/counted')
    await host.send('GET', '/counted', bearer('abc'))
    expect(runs).toBe(0)

    await host.send('GET', '/counted', bearer((await openSession(host)).token))
    expect(runs).toBe(1)
  })

  it('that is optional passes on a valid token and a request without a token, and refuses an invalid token', async () => {
    const host = await startGuarded(framework, { optional: true })
    const { token } = await openSession(host)

    expect(await host.send('GET', '/guarded', bearer(token))).toMatchObject(ada)
    expect(await host.send('GET', '/guarded')).toMatchObject(anonymous)
    expectResponse(await host.send('GET', '/guarded', bearer('abc')), invalidToken())
  })

  it.each([
    ['returns', (isAllowed: boolean) => () => isAllowed],
    ['resolves to', (isAllowed: boolean) => async () => isAllowed],
  ])('passes the request on when its rule %s true, and responds with 403 otherwise', async (_, allows) => {
    for (const isAllowed of [true, false]) {
      const host = await startGuarded(framework, { allow: allows(isAllowed) })
      const response = await host.send('GET', '/guarded', bearer((await openSession(host)).token))

      if (isAllowed) expect(response).toMatchObject(ada)
      else expectResponse(response, forbidden)
      expect(host.reports).toEqual([])
    }
  })
})

describe.each(byName(frameworks))('a guard with maxAuthAgeSeconds on %s', (_, framework) => {
  it('accepts a login up to this age, and then responds with 401 and max_age, also after a refresh', async () => {
    const events: AuthEvent[] = []
    const onEvent = (event: AuthEvent) => events.push(event)
    const host = await startGuarded(framework, { maxAuthAgeSeconds: 300 }, { onEvent })
    const { token, refreshToken } = await openSession(host)
    host.clock.advanceMs(300_000)
    expect(await host.send('GET', '/guarded', bearer(token))).toMatchObject(ada)

    host.clock.advanceMs(1_000)
    expectResponse(await host.send('GET', '/guarded', bearer(token)), loginTooOld(300))
    expect(events.at(-1)).toMatchObject({
      type: 'request_rejected',
      code: 'jwt_auth_insufficient_user_authentication',
      detail: 'the login was 301 seconds ago',
      userId: 7,
      sessionId: sessionOf(token),
    })
    const refreshed = await refresh(host, refreshToken)
    expectResponse(await host.send('GET', '/guarded', bearer(refreshed.token)), loginTooOld(300))
    expect(await host.send('GET', '/guarded', bearer((await openSession(host)).token))).toMatchObject(ada)
  })
})

describe('maxAuthAgeSeconds', () => {
  it.each([0, 1.5, -1, '300', null, 315_360_001])('may not be %j', async (maxAuthAgeSeconds) => {
    const { auth } = await startHost(express5Framework)

    expect(() => Reflect.apply(auth.guard, undefined, [{ maxAuthAgeSeconds }])).toThrow(
      /^jwt-auth: option `maxAuthAgeSeconds` must be/,
    )
  })
})

describe('an optional guard', () => {
  it('passes a request with another scheme on as anonymous', async () => {
    const { send } = await startGuarded(express5Framework, { optional: true })
    for (const value of ['Basic YTpi', 'Bearerx abc']) {
      expect(await send('GET', '/guarded', { headers: { Authorization: value } })).toMatchObject(anonymous)
    }
  })

  it('responds with 401 to a malformed header', async () => {
    const { send } = await startGuarded(express5Framework, { optional: true })
    for (const value of ['Bearer', ['Bearer a', 'Bearer b']]) {
      expectResponse(await send('GET', '/guarded', { headers: { Authorization: value } }), badAuthHeader)
    }
  })
})

describe('the event of a request that a guard rejects', () => {
  it('contains the code and the address, and the user and the session of a valid token', async () => {
    const events: AuthEvent[] = []
    const onEvent = (event: AuthEvent) => events.push(event)
    const host = await startGuarded(express5Framework, { allow: () => false }, { onEvent })
    const { token } = await openSession(host)
    await host.send('GET', '/guarded')
    for (const authorization of [token, `JWT ${token}`]) {
      const response = await host.send('GET', '/guarded', { headers: { Authorization: authorization } })
      expectResponse(response, noAuthHeader)
    }
    await host.send('GET', '/guarded', bearer('no.valid.token'))
    await host.send('GET', '/guarded', bearer(token))
    const rejected = { type: 'request_rejected', ipAddress: expect.stringContaining('127.0.0.1') }
    const nobody = { userId: undefined, sessionId: undefined }
    const otherScheme = 'the Authorization header has another scheme or none: send `Authorization: Bearer <token>`'
    expect(events.slice(1)).toMatchObject([
      { ...rejected, ...nobody, code: 'jwt_auth_no_auth_header', detail: undefined },
      { ...rejected, ...nobody, code: 'jwt_auth_no_auth_header', detail: otherScheme },
      { ...rejected, ...nobody, code: 'jwt_auth_no_auth_header', detail: otherScheme },
      { ...rejected, ...nobody, code: 'jwt_auth_invalid_token' },
      { ...rejected, userId: 7, sessionId: sessionOf(token), code: 'jwt_auth_forbidden' },
    ])
  })
})

describe('a guard with checkUser', () => {
  it('responds with 401 when the user is disabled, which a guard without it does not notice', async () => {
    const host = await startGuarded(express5Framework, { checkUser: true })
    const { token } = await openSession(host)
    host.users.change('ada', { disabled: true })
    expectResponse(await host.send('GET', '/guarded', bearer(token)), invalidToken())
    expect(await host.send('GET', '/reports', bearer(token))).toMatchObject(ada)
  })
})

describe('the rule of a guard', () => {
  it('receives the caller and the request, and is called for valid tokens only', async () => {
    const asked: unknown[] = []
    const host = await startGuarded(express5Framework, {
      allow: (auth, req) => {
        asked.push([auth.userId, req.method, req.headers['x-team']])
        return true
      },
    })
    const { token } = await openSession(host)

    expectResponse(await host.send('GET', '/guarded'), noAuthHeader)
    expectResponse(await host.send('GET', '/guarded', bearer('abc')), invalidToken())
    await host.send('DELETE', '/guarded', { headers: { ...bearer(token).headers, 'X-Team': 'red' } })
    expect(asked).toStrictEqual([[7, 'DELETE', 'red']])
  })

  it('responds with 500 when it throws, and onError receives the cause', async () => {
    const failure = new Error('no rules today')
    const host = await startGuarded(express5Framework, {
      allow: () => {
        throw failure
      },
    })
    const { token } = await openSession(host)

    expectResponse(await host.send('GET', '/guarded', bearer(token)), internalError)
    expect(host.reports).toMatchObject([
      {
        code: 'jwt_auth_internal_error',
        cause: failure,
        detail: expect.stringContaining('the rule `allow` of the guard of GET /guarded failed'),
      },
    ])
  })

  it('responds with 503 when it never settles, and the report names it', async () => {
    const allow = () => new Promise<boolean>(() => {})
    const host = await startGuarded(express5Framework, { allow }, { callTimeoutMs: 100 })
    const { accessToken } = await host.auth.sessions.create(7)

    expectResponse(await host.send('GET', '/guarded', bearer(accessToken)), unavailable)
    expect(host.reports).toMatchObject([{ code: 'jwt_auth_unavailable', detail: 'option `allow` took too long' }])
  })

  it('responds with the error of an AuthError that it rejects with', async () => {
    const host = await startGuarded(express5Framework, {
      allow: async () => {
        throw new AuthError('jwt_auth_rate_limited', { retryAfterSeconds: 7 })
      },
    })
    const { token } = await openSession(host)

    expectResponse(await host.send('GET', '/guarded', bearer(token)), rateLimited(7))
  })
})

describe('the channel of guard decisions', () => {
  it('has one message for each check of a guard and of verifyRequest, with the error of a refusal', async () => {
    const host = await startHost(express5Framework, {
      routes: (auth) => [
        { path: '/guarded', run: auth.guard() },
        { path: '/forbidden', run: auth.guard({ allow: () => false }) },
        { path: '/optional', run: auth.guard({ optional: true }) },
        { path: '/optional', run: respondWithCaller(auth) },
        { path: '/guarded', run: respondWithCaller(auth) },
      ],
    })
    const { token } = await openSession(host)
    const decisions = recordCalls(calls.guard)
    await host.send('GET', '/guarded', bearer(token))
    await host.send('GET', '/guarded', bearer('no token'))
    await host.send('GET', '/guarded')
    await host.send('GET', '/forbidden', bearer(token))
    await host.send('GET', '/optional')
    await host.send('GET', '/optional', bearer(token))
    await host.auth.verifyRequest(
      new Request('https://api.example.com', { headers: { authorization: `Bearer ${token}` } }),
    )
    expect(decisions.map(({ error }) => (isAuthError(error) ? error.code : error))).toEqual([
      undefined,
      'jwt_auth_bad_auth_header',
      'jwt_auth_no_auth_header',
      'jwt_auth_forbidden',
      undefined,
      undefined,
    ])
  })
})
