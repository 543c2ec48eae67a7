import { describe, expect, it } from 'vitest'
import { AuthError, type GuardOptions } from '../src/index.js'
import { byName } from './support/by-name.js'
import {
  badAuthHeader,
  expectAnswer,
  forbidden,
  internalError,
  invalidToken,
  noAuthHeader,
  unavailable,
} from './support/expected-answers.js'
import { bearer, openSession, requestRevocation } from './support/flows.js'
import { type Framework, frameworks } from './support/frameworks.js'
import { answerWithCaller, startHost, type TestHost } from './support/test-host.js'

/** A host whose route `/guarded` stands behind a guard of these options. */
const startGuarded = (framework: Framework, options: GuardOptions): Promise<TestHost> =>
  startHost(framework, {
    routes: (auth) => [
      { path: '/guarded', run: auth.guard(options) },
      { path: '/guarded', run: answerWithCaller },
    ],
  })

const ada = { status: 200, text: '{"userId":7}' }
const stranger = { status: 200, text: '{"userId":null}' }

// Which tokens are refused: access-token-check.test.ts.
describe.each(byName(frameworks))('the guard on %s', (_, framework) => {
  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('guards the method %s', async (method) => {
    const host = await startHost(framework)
    const { token } = await openSession(host)

    expectAnswer(await host.send(method, '/reports'), noAuthHeader)
    expect(await host.send(method, '/reports', bearer(token))).toMatchObject(ada)
  })

  it('says anew who a request comes from when another guard finds somebody else', async () => {
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
        { path: '/guarded', run: answerWithCaller },
      ],
    })
    authorization = `Bearer ${(await openSession(host)).token}`

    expect(await host.send('GET', '/guarded')).toMatchObject(ada)
  })

  it('guards HEAD, which answers without a body', async () => {
    const { send } = await startHost(framework)

    expectAnswer(await send('HEAD', '/reports'), { ...noAuthHeader, body: undefined })
  })

  it('lets the CORS middleware that the host mounts before it answer OPTIONS', async () => {
    const { send } = await startHost(framework, {
      before: [
        (req, res, next) => {
          res.setHeader('Access-Control-Allow-Origin', 'https://app.example.com')
          if (req.method === 'OPTIONS') res.writeHead(204).end()
          else next()
        },
      ],
    })

    expect(await send('OPTIONS', '/reports')).toMatchObject({ status: 204 })
    expect(await send('GET', '/reports')).toMatchObject({
      status: 401,
      headers: { 'access-control-allow-origin': 'https://app.example.com' },
    })
  })

  it('never runs the host route for a caller it refuses', async () => {
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

  it('stands alone on a host that does not serve the routes', async () => {
    const host = await startHost(framework, { mountPath: '/elsewhere' })
    const { token } = await openSession(host)

    expect(await host.send('GET', '/reports', bearer(token))).toMatchObject(ada)
  })

  describe('that is optional', () => {
    it('lets a good token in', async () => {
      const host = await startGuarded(framework, { optional: true })
      const { token } = await openSession(host)

      expect(await host.send('GET', '/guarded', bearer(token))).toMatchObject(ada)
    })

    it.each(
      byName([
        { name: 'no header', headers: {} },
        { name: 'another scheme', headers: { Authorization: 'Basic YTpi' } },
        { name: 'the scheme Bearerx', headers: { Authorization: 'Bearerx abc' } },
      ]),
    )('lets a caller with %s in as a stranger', async (_, { headers }) => {
      const { send } = await startGuarded(framework, { optional: true })

      expect(await send('GET', '/guarded', { headers })).toMatchObject(stranger)
    })

    it.each(
      byName([
        { name: 'a bad token', headers: { Authorization: 'Bearer abc' }, expected: invalidToken() },
        { name: 'nothing after the scheme', headers: { Authorization: 'Bearer' }, expected: badAuthHeader },
        { name: 'two bearer headers', headers: { Authorization: ['Bearer a', 'Bearer b'] }, expected: badAuthHeader },
      ]),
    )('answers 401 to a caller with %s', async (_, { headers, expected }) => {
      const { send } = await startGuarded(framework, { optional: true })

      expectAnswer(await send('GET', '/guarded', { headers }), expected)
    })

    it('answers 401 to a revoked token', async () => {
      const host = await startGuarded(framework, { optional: true })
      const { token } = await openSession(host)
      await requestRevocation(host, token)

      expectAnswer(await host.send('GET', '/guarded', bearer(token)), invalidToken())
    })

    it('lets a stranger in without asking the rule, and asks it about a good token', async () => {
      const host = await startGuarded(framework, { optional: true, allow: () => false })
      const { token } = await openSession(host)

      expect(await host.send('GET', '/guarded')).toMatchObject(stranger)
      expectAnswer(await host.send('GET', '/guarded', bearer(token)), forbidden)
    })

    it('answers 503 when storage cannot answer, and lets nobody in', async () => {
      const host = await startGuarded(framework, { optional: true })
      const { token } = await openSession(host)
      host.storage.breakDown('findByIds')

      expectAnswer(await host.send('GET', '/guarded', bearer(token)), unavailable)
    })
  })

  describe('with checkUser', () => {
    it('passes the request of an active user on', async () => {
      const host = await startGuarded(framework, { checkUser: true })
      const { token } = await openSession(host)

      expect(await host.send('GET', '/guarded', bearer(token))).toMatchObject(ada)
    })

    it.each(
      byName([
        { name: 'is disabled', change: ({ users }: TestHost) => users.change('ada', { disabled: true }) },
        { name: 'no longer exists', change: ({ users }: TestHost) => users.remove('ada') },
      ]),
    )('responds with 401 when the user %s, which a guard without it does not notice', async (_, { change }) => {
      const host = await startGuarded(framework, { checkUser: true })
      const { token } = await openSession(host)
      change(host)

      expectAnswer(await host.send('GET', '/guarded', bearer(token)), invalidToken())
      expect(await host.send('GET', '/reports', bearer(token))).toMatchObject(ada)
    })

    it('passes an anonymous request on when it is optional', async () => {
      const { send } = await startGuarded(framework, { checkUser: true, optional: true })

      expect(await send('GET', '/guarded')).toMatchObject(stranger)
    })
  })

  describe("with the host's own rule", () => {
    it.each(
      byName([
        { name: 'answers true', allow: () => true },
        { name: 'answers true later', allow: async () => true },
        { name: 'finds the user it wants', allow: ({ userId }: { readonly userId: unknown }) => userId === 7 },
      ]),
    )('lets in when the rule %s', async (_, { allow }) => {
      const host = await startGuarded(framework, { allow })
      const { token } = await openSession(host)

      expect(await host.send('GET', '/guarded', bearer(token))).toMatchObject(ada)
    })

    it.each(
      byName([
        { name: 'answers false', answer: false },
        { name: 'answers nothing', answer: undefined },
        { name: 'answers a truthy text', answer: 'yes' },
        { name: 'answers a truthy number', answer: 1 },
      ]),
    )('answers 403 when the rule %s', async (_, { answer }) => {
      const options = Object.assign<GuardOptions, object>({}, { allow: () => answer })
      const host = await startGuarded(framework, options)
      const { token } = await openSession(host)

      expectAnswer(await host.send('GET', '/guarded', bearer(token)), forbidden)
    })

    it('asks the rule about the caller and the request, and only where the token is good', async () => {
      const asked: unknown[] = []
      const host = await startGuarded(framework, {
        allow: (auth, req) => {
          asked.push([auth.userId, req.method, req.headers['x-team']])
          return true
        },
      })
      const { token } = await openSession(host)

      expectAnswer(await host.send('GET', '/guarded'), noAuthHeader)
      expectAnswer(await host.send('GET', '/guarded', bearer('abc')), invalidToken())
      await host.send('DELETE', '/guarded', { headers: { ...bearer(token).headers, 'X-Team': 'red' } })
      expect(asked).toStrictEqual([[7, 'DELETE', 'red']])
    })

    it('answers 500 when the rule fails, and the host hears why', async () => {
      const failure = new Error('no rules today')
      const host = await startGuarded(framework, {
        allow: () => {
          throw failure
        },
      })
      const { token } = await openSession(host)

      expectAnswer(await host.send('GET', '/guarded', bearer(token)), internalError)
      expect(host.reports.map(({ code, cause }) => [code, cause])).toStrictEqual([['jwt_auth_internal_error', failure]])
    })

    it('answers as the rule says when it rejects with an AuthError', async () => {
      const host = await startGuarded(framework, {
        allow: async () => {
          throw new AuthError('jwt_auth_forbidden')
        },
      })
      const { token } = await openSession(host)

      expectAnswer(await host.send('GET', '/guarded', bearer(token)), forbidden)
    })
  })
})
