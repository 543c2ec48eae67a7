import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { adaAtMe } from './support/doors.js'
import {
  authenticated,
  expectAnswer,
  methodNotAllowed,
  noAuthHeader,
  noRoute,
  success,
  validToken,
} from './support/expected-answers.js'
import { bearer, json, openSession, readTokens, requestRefresh, requestValidation } from './support/flows.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { createClient, type Send } from './support/http-client.js'
import { hostAnswer, listen, startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const credentials = json({ username: 'ada', password })
const passedOn = { status: 200, text: hostAnswer }

const postRoutes = ['/token', '/token/refresh', '/refresh', '/token/validate', '/validate', '/token/revoke']
const routes = [...postRoutes, '/me']

const strayPaths = [
  '/jwt-auth/v1',
  '/jwt-auth/v1/',
  '/jwt-auth/v1/nope',
  '/jwt-auth/v1/tokens',
  '/jwt-auth/v1/Token',
  '/jwt-auth/v1/%74oken',
  '/jwt-auth/v1//token',
  '/jwt-auth/v1/token//',
  '/jwt-auth/v1/token/nope',
  '/jwt-auth/v1/revoke',
  '/jwt-auth/v1/me/7',
  '/jwt-auth/v1/__proto__',
  '/jwt-auth/v1/nope?path=/token',
]

const pathsOfTheHost = [
  '/',
  '/jwt-auth',
  '/jwt-auth/',
  '/jwt-auth/v2/token',
  '/jwt-auth/v10/token',
  '/jwt-auth/v1token',
  '/other/jwt-auth/v1/token',
  '/JWT-AUTH/v1/token',
  '/?next=/jwt-auth/v1/token',
]

describe.each(byName(frameworks))('routing on %s', (_, framework) => {
  it('stands below the path where the host mounts the middleware', async () => {
    const { send } = await startHost(framework, { mountPath: '/api' })
    const answer = await send('POST', '/api/jwt-auth/v1/token', credentials)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    expectAnswer(await send('POST', '/api/jwt-auth/v1/nope'), noRoute)
    expect(await send('POST', '/jwt-auth/v1/token', credentials)).toMatchObject(passedOn)
    expect(await send('POST', '/api/token', credentials)).toMatchObject(passedOn)
  })

  it('stands below the namespace that the host names', async () => {
    const { send } = await startHost(framework, { options: { namespace: '/auth' } })
    const answer = await send('POST', '/auth/token', credentials)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    expectAnswer(await send('POST', '/auth/nope'), noRoute)
    expect(await send('POST', '/jwt-auth/v1/token', credentials)).toMatchObject(passedOn)
  })

  it('stands below a namespace that the host names and a path where it mounts the middleware', async () => {
    const { send } = await startHost(framework, { mountPath: '/api', options: { namespace: '/my/auth.v3' } })
    const answer = await send('POST', '/api/my/auth.v3/token', credentials)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it('serves two services side by side', async () => {
    const photos = await startHost(framework)
    const { send, storage } = await startHost(framework, {
      options: { namespace: '/auth' },
      routes: () => [{ path: '/', run: photos.auth }],
    })

    expect(await send('POST', '/jwt-auth/v1/token', credentials)).toMatchObject({ status: 200 })
    expect(storage.calls).toStrictEqual([])
    expect(photos.storage.calls).toContain('create')
  })

  it('finds a route whatever query follows', async () => {
    const { send } = await startHost(framework)
    const answer = await send('POST', '/jwt-auth/v1/token?next=/home#top', credentials)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it.each(routes)('finds %s with a slash after it', async (path) => {
    const host = await startHost(framework)
    const { token } = await openSession(host)
    const method = path === '/me' ? 'GET' : 'POST'
    const plain = await host.send(method, `/jwt-auth/v1${path}`)
    const slashed = await host.send(method, `/jwt-auth/v1${path}/`)

    expect({ status: slashed.status, text: slashed.text }).toStrictEqual({ status: plain.status, text: plain.text })
    expect(slashed.text).not.toContain('jwt_auth_no_route')
    expectAnswer(await requestValidation(host, token), validToken)
  })

  it('finds a route in a target that is a whole URL', async () => {
    const { send } = await startHost(framework)
    const answer = await send('POST', 'http://api.example.com/jwt-auth/v1/token', credentials)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
    expectAnswer(await send('GET', 'http://api.example.com/jwt-auth/v1/me?a=b'), noAuthHeader)
    expectAnswer(await send('GET', 'https://api.example.com:8443/jwt-auth/v1/nope'), noRoute)
    expect(await send('GET', 'http://api.example.com/elsewhere')).toMatchObject(passedOn)
  })

  it.each(strayPaths)('answers 404 to every method on the unknown path %s', async (path) => {
    const host = await startHost(framework)

    expectAnswer(await host.send('GET', path), noRoute)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expectAnswer(await host.send(method, path, credentials), noRoute)
    }
    expect(host.users.calls).toStrictEqual([])
  })

  it('passes OPTIONS on unknown paths on to the host', async () => {
    const { send } = await startHost(framework)
    for (const path of strayPaths) expect(await send('OPTIONS', path)).toMatchObject(passedOn)
  })

  it('answers 404 to HEAD on an unknown path, without a body', async () => {
    const { send } = await startHost(framework)

    expectAnswer(await send('HEAD', '/jwt-auth/v1/nope'), { ...noRoute, body: undefined })
  })

  it.each(pathsOfTheHost)('passes %s on to the host', async (path) => {
    const { send } = await startHost(framework)

    expect(await send('GET', path)).toMatchObject(passedOn)
    expect(await send('POST', path, credentials)).toMatchObject(passedOn)
    expect(await send('HEAD', path)).toMatchObject({ status: 200 })
  })

  it('leaves the body of a request that is not ours to the host', async () => {
    const { send } = await startHost(framework, {
      routes: () => [{ path: '/', run: (req, res) => req.pipe(res) }],
    })

    expect(await send('POST', '/echo', credentials)).toMatchObject({ status: 200, text: credentials.body })
  })

  it.each(routes)('passes OPTIONS on %s on to the CORS middleware of the host', async (path) => {
    const { send } = await startHost(framework, {
      routes: () => [
        {
          path: '/',
          run: (req, res) => {
            res.setHeader('Access-Control-Allow-Methods', 'POST')
            res.writeHead(req.method === 'OPTIONS' ? 204 : 500).end()
          },
        },
      ],
    })

    expect(await send('OPTIONS', `/jwt-auth/v1${path}`)).toMatchObject({
      status: 204,
      headers: { 'access-control-allow-methods': 'POST' },
    })
  })

  it.each(postRoutes)('answers 405 with Allow to every method but POST on %s', async (path) => {
    const { send } = await startHost(framework)
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'TRACE']) {
      expectAnswer(await send(method, `/jwt-auth/v1${path}`), methodNotAllowed('POST'))
    }

    expectAnswer(await send('HEAD', `/jwt-auth/v1${path}`), { ...methodNotAllowed('POST'), body: undefined })
  })

  it('answers 405 with Allow to every method but GET and HEAD on /me', async () => {
    const { send } = await startHost(framework)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']) {
      expectAnswer(await send(method, '/jwt-auth/v1/me'), methodNotAllowed('GET, HEAD'))
    }
  })

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])(
    'has no side effect when the method %s is wrong',
    async (method) => {
      const host = await startHost(framework)
      const { token, refreshToken } = await openSession(host)
      host.storage.calls.length = 0
      host.users.calls.length = 0
      const refreshing = json({ refresh_token: refreshToken })
      await host.send(method, '/jwt-auth/v1/token/revoke', bearer(token))
      await host.send(method, '/jwt-auth/v1/token', credentials)
      await host.send(method, '/jwt-auth/v1/token/refresh', refreshing)
      await host.send(method, '/jwt-auth/v1/refresh', refreshing)

      expect({ storage: host.storage.calls, users: host.users.calls }).toStrictEqual({ storage: [], users: [] })
      expectAnswer(await requestValidation(host, token), validToken)
      expect(await requestRefresh(host, refreshToken)).toMatchObject({ status: 200 })
    },
  )

  it('is not led astray by a header that names another method', async () => {
    const host = await startHost(framework)
    const headers = { 'X-HTTP-Method-Override': 'POST' }

    expectAnswer(await host.send('GET', '/jwt-auth/v1/token?_method=POST', { headers }), methodNotAllowed('POST'))
  })

  it('answers HEAD /me as GET, without the body', async () => {
    const host = await startHost(framework)
    const { token } = await openSession(host)
    const got = await host.send('GET', '/jwt-auth/v1/me', bearer(token))
    const head = await host.send('HEAD', '/jwt-auth/v1/me', bearer(token))

    expectAnswer(head, { ...success(adaAtMe), body: undefined })
    expect(head.headers['content-length']).toBe(got.headers['content-length'])
    expectAnswer(await host.send('HEAD', '/jwt-auth/v1/me'), { ...noAuthHeader, body: undefined })
  })
})

describe('routing without a host behind it', () => {
  const startAlone = async (): Promise<Send> => {
    const { auth } = await startHost(express5Framework)
    return createClient(await listen((req, res) => auth(req, res)))
  }

  it('serves the routes', async () => {
    const send = await startAlone()
    const answer = await send('POST', '/jwt-auth/v1/token', credentials)

    expectAnswer(answer, authenticated(readTokens(answer), adaFields))
  })

  it.each([
    ['GET', '/'],
    ['POST', '/elsewhere'],
    ['OPTIONS', '/jwt-auth/v1/token'],
  ])('answers 404 to %s %s', async (method, path) => {
    const send = await startAlone()

    expectAnswer(await send(method, path), noRoute)
  })
})
