import { bearer, json, type Send } from '@jwt-auth/test-support/http-client'
import { describe, expect, it } from 'vitest'
import { adaAtMe } from './support/bearer-routes.js'
import { byName } from './support/by-name.js'
import {
  authenticated,
  expectResponse,
  methodNotAllowed,
  noAuthHeader,
  noRoute,
  success,
} from './support/expected-responses.js'
import { openSession, readTokens } from './support/flows.js'
import { express5Framework, frameworks } from './support/frameworks.js'
import { createClient, hostResponse, listen, startHost } from './support/test-host.js'
import { adaFields, password } from './support/test-users.js'

const credentials = json({ username: 'ada', password })
const passedOn = { status: 200, text: hostResponse }

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

const applicationPaths = [
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
  it('is below the path where the application mounts the middleware', async () => {
    const { send } = await startHost(framework, { mountPath: '/api' })
    const response = await send('POST', '/api/jwt-auth/v1/token', credentials)

    expectResponse(response, authenticated(readTokens(response), adaFields))
    expectResponse(await send('POST', '/api/jwt-auth/v1/nope'), noRoute)
    expect(await send('POST', '/jwt-auth/v1/token', credentials)).toMatchObject(passedOn)
    expect(await send('POST', '/api/token', credentials)).toMatchObject(passedOn)
  })

  it('is below the namespace of the option', async () => {
    const { send } = await startHost(framework, { options: { namespace: '/auth' } })
    const response = await send('POST', '/auth/token', credentials)

    expectResponse(response, authenticated(readTokens(response), adaFields))
    expectResponse(await send('POST', '/auth/nope'), noRoute)
    expect(await send('POST', '/jwt-auth/v1/token', credentials)).toMatchObject(passedOn)
  })

  it('serves two services with two namespaces', async () => {
    const photos = await startHost(framework)
    const { send, storage } = await startHost(framework, {
      options: { namespace: '/auth' },
      routes: () => [{ path: '/', run: photos.auth }],
    })

    expect(await send('POST', '/jwt-auth/v1/token', credentials)).toMatchObject({ status: 200 })
    expect(storage.calls).toStrictEqual([])
    expect(photos.storage.calls).toContain('create')
  })

  it('finds every route with a trailing slash', async () => {
    const { send } = await startHost(framework)
    for (const path of routes) {
      const method = path === '/me' ? 'GET' : 'POST'
      const plain = await send(method, `/jwt-auth/v1${path}`)
      const slashed = await send(method, `/jwt-auth/v1${path}/`)

      expect({ path, status: slashed.status, text: slashed.text }).toStrictEqual({
        path,
        status: plain.status,
        text: plain.text,
      })
      expect(slashed.text).not.toContain('jwt_auth_no_route')
    }
  })

  it('finds a route in a request target that is an absolute URL', async () => {
    const { send } = await startHost(framework)
    const response = await send('POST', 'http://api.example.com/jwt-auth/v1/token', credentials)

    expectResponse(response, authenticated(readTokens(response), adaFields))
    expectResponse(await send('GET', 'http://api.example.com/jwt-auth/v1/me?a=b'), noAuthHeader)
    expectResponse(await send('GET', 'https://api.example.com:8443/jwt-auth/v1/nope'), noRoute)
    expect(await send('GET', 'http://api.example.com/elsewhere')).toMatchObject(passedOn)
  })

  it.each(strayPaths)('responds with 404 on the unknown path %s, and passes its OPTIONS on', async (path) => {
    const host = await startHost(framework)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expectResponse(await host.send(method, path, credentials), noRoute)
    }

    expectResponse(await host.send('GET', path), noRoute)
    expectResponse(await host.send('HEAD', path), { ...noRoute, body: undefined })
    expect(await host.send('OPTIONS', path)).toMatchObject(passedOn)
    expect(host.users.calls).toStrictEqual([])
  })

  it.each(applicationPaths)('passes %s on to the application', async (path) => {
    const { send } = await startHost(framework)

    expect(await send('GET', path)).toMatchObject(passedOn)
    expect(await send('POST', path, credentials)).toMatchObject(passedOn)
    expect(await send('HEAD', path)).toMatchObject({ status: 200 })
  })

  it('leaves the body of other requests to the application', async () => {
    const { send } = await startHost(framework, {
      routes: () => [{ path: '/', run: (req, res) => req.pipe(res) }],
    })

    expect(await send('POST', '/echo', credentials)).toMatchObject({ status: 200, text: credentials.body })
  })

  it('passes OPTIONS on every route on to the CORS middleware of the application', async () => {
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
    const expected = { status: 204, headers: { 'access-control-allow-methods': 'POST' } }

    for (const path of routes) expect(await send('OPTIONS', `/jwt-auth/v1${path}`)).toMatchObject(expected)
  })

  it('responds with 405 and the header Allow to other methods, without calling users or storage', async () => {
    const host = await startHost(framework)
    const { token, refreshToken } = await openSession(host)
    host.storage.calls.length = 0
    host.users.calls.length = 0
    const message = json({ username: 'ada', password, refresh_token: refreshToken }, bearer(token).headers)
    for (const path of routes) {
      const allowed = path === '/me' ? 'GET, HEAD' : 'POST'
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE']) {
        if (allowed.includes(method)) continue
        expectResponse(await host.send(method, `/jwt-auth/v1${path}`, message), methodNotAllowed(allowed))
      }
    }
    for (const path of postRoutes) {
      const response = await host.send('HEAD', `/jwt-auth/v1${path}`, message)
      expectResponse(response, { ...methodNotAllowed('POST'), body: undefined })
    }

    expect({ storage: host.storage.calls, users: host.users.calls }).toStrictEqual({ storage: [], users: [] })
  })

  it('responds to HEAD /me as to GET, without the body', async () => {
    const host = await startHost(framework)
    const { token } = await openSession(host)
    const got = await host.send('GET', '/jwt-auth/v1/me', bearer(token))
    const head = await host.send('HEAD', '/jwt-auth/v1/me', bearer(token))

    expectResponse(head, { ...success(adaAtMe), body: undefined })
    expect(head.headers['content-length']).toBe(got.headers['content-length'])
    expectResponse(await host.send('HEAD', '/jwt-auth/v1/me'), { ...noAuthHeader, body: undefined })
  })
})

describe('routing without a next function', () => {
  const startAlone = async (): Promise<Send> => {
    const { auth } = await startHost(express5Framework)
    return createClient(await listen((req, res) => auth(req, res)))
  }

  it.each([
    ['GET', '/'],
    ['POST', '/elsewhere'],
    ['OPTIONS', '/jwt-auth/v1/token'],
  ])('responds with 404 to %s %s', async (method, path) => {
    const send = await startAlone()

    expectResponse(await send(method, path), noRoute)
  })
})
