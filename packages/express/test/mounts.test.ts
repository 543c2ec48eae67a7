import { json } from '@jwt-auth/test-support/http-client'
import { watchWarnings } from '@jwt-auth/test-support/recorders'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import type { Middleware } from '../src/index.js'
import { byName } from './support/by-name.js'
import { express4Framework, express5Framework, type Framework, frameworks } from './support/frameworks.js'
import { createClient, hostResponse, listen, startHost, type TestHost } from './support/test-host.js'
import { password } from './support/test-users.js'

const warnings = watchWarnings('JWT_AUTH_MOUNT')

const credentials = json({ username: 'ada', password })
/** One warning with this text. */
const warning = (text: string) => [[expect.stringContaining(text), { type: 'JwtAuthWarning', code: 'JWT_AUTH_MOUNT' }]]
/** The warning of a path that is no route. */
const missing = (path: string) =>
  warning(
    `jwt-auth: POST ${path} reached jwtAuth(…), which does not have this route. Write app.use(auth). Clients then log in with POST /jwt-auth/v1/token. Ignore this warning if your application serves ${path}. See `,
  )
const passedOn = { status: 200, text: hostResponse }

/** The frameworks that keep the path of the whole request. */
const withOriginalUrl = frameworks.filter(({ name }) => name !== 'node:http')

const wildcards: readonly (readonly [string, Framework, string])[] = [
  ['Express 5 with {*path}', express5Framework, '/{*path}'],
  ['Express 5 with *splat, as Nest mounts', express5Framework, '/*splat'],
  ['Express 5 below the namespace', express5Framework, '/jwt-auth/*splat'],
  ['Express 4 with *', express4Framework, '*'],
]

describe.each(byName(withOriginalUrl))('the routes on %s', (_, framework) => {
  it.each([
    ['/jwt-auth/v1', '/jwt-auth/v1'],
    ['/jwt-auth', '/jwt-auth/v1'],
    ['/api/jwt-auth/v1', '/api/jwt-auth/v1'],
    ['/api/jwt-auth', '/api/jwt-auth/v1'],
    ['/jwt-auth/v1/token', '/jwt-auth/v1'],
  ])('are found if the middleware is mounted at %s', async (mountPath, base) => {
    const { send } = await startHost(framework, { mountPath })
    expect(await send('POST', `${base}/token?next=/home`, credentials)).toMatchObject({ status: 200 })
    expect(await send('GET', `${base}/token/`)).toMatchObject({ status: 405 })
    expect(await send('OPTIONS', `${base}/token`)).toMatchObject(passedOn)
    expect(warnings()).toEqual([])
  })

  it('are not found at other paths below such a mount', async () => {
    const { send, storage } = await startHost(framework, { mountPath: '/jwt-auth/v1' })
    for (const path of ['/jwt-auth/v1/nope', '/jwt-auth/v1/x/token', '/jwt-auth/v1', '/jwt-auth/v1x/token']) {
      expect(await send('POST', path, credentials)).toMatchObject(passedOn)
    }
    expect(storage.calls).toEqual([])
  })

  it('are not found by the former path if the application has rewritten the path', async () => {
    const { send } = await startHost(framework, {
      before: [
        (req, _res, next) => {
          Object.assign(req, { originalUrl: req.url, url: '/maintenance' })
          next()
        },
      ],
    })
    expect(await send('POST', '/jwt-auth/v1/token', credentials)).toMatchObject(passedOn)
  })
})

describe.each(wildcards)('the routes on %s', (_, framework, mountPath) => {
  it('are found at the root of the site', async () => {
    const host = await startHost(framework, { mountPath })
    expect(await host.send('POST', '/jwt-auth/v1/token', credentials)).toMatchObject({ status: 200 })
    expect(await host.send('GET', '/jwt-auth/v1/me')).toMatchObject({ status: 401 })
    expect(await host.send('GET', '/elsewhere')).toMatchObject(passedOn)
    expect(warnings()).toEqual([])
  })
})

describe('the warning of a mount that hides the routes', () => {
  it('is emitted once behind a wildcard, and names the right mount', async () => {
    const { send } = await startHost(express5Framework, { mountPath: '/{*path}' })
    for (const path of ['/api/jwt-auth/v1/token', '/other/jwt-auth/v1/token']) {
      expect(await send('POST', path, credentials)).toMatchObject(passedOn)
    }
    expect(warnings()).toEqual(missing('/api/jwt-auth/v1/token'))
  })

  it('is emitted if the first request of another origin with a preflight gets a response without CORS headers', async () => {
    const headers = { ...credentials.headers, Origin: 'https://app.example.com', 'Sec-Fetch-Site': 'cross-site' }
    let allowed = 1
    const allowFirst: Middleware = (_req, res, next) => {
      if (allowed-- > 0) res.setHeader('Access-Control-Allow-Origin', 'https://app.example.com')
      next()
    }
    const right = await startHost(express5Framework, { before: [allowFirst] })
    // The first request has shown that CORS is in front of the routes.
    for (let login = 0; login < 2; login++) await right.send('POST', '/jwt-auth/v1/token', { ...credentials, headers })
    const { send } = await startHost(express5Framework)
    // A health check has no origin. Browsers send the others without a preflight request, or not to another origin.
    const unclear = [{}, { ...headers, 'Content-Type': 'text/plain' }, { ...headers, 'Sec-Fetch-Site': 'same-origin' }]
    for (const sent of unclear) await send('POST', '/jwt-auth/v1/token', { ...credentials, headers: sent })
    await send('GET', '/jwt-auth/v1/me', { headers: { ...headers, 'Content-Type': '' } })
    expect(warnings()).toEqual([])
    expect(await send('POST', '/jwt-auth/v1/token', { ...credentials, headers })).toMatchObject({ status: 200 })
    expect(warnings()).toEqual(warning('Write app.use(cors(…)) before app.use(auth).'))
  })

  it.each(byName(withOriginalUrl))('is emitted for a path without the namespace on %s', async (_, framework) => {
    const { send } = await startHost(framework, { mountPath: '/auth' })
    expect(await send('POST', '/auth/token/refresh', credentials)).toMatchObject(passedOn)
    expect(warnings()).toEqual(missing('/auth/token/refresh'))
    expect(warnings()).toEqual(warning('docs/guide/start.md#mounting'))
  })

  it.each([
    ['GET', '/auth/token'],
    ['POST', '/auth/me'],
    ['GET', '/auth/me'],
    ['POST', '/auth/tokens'],
    ['POST', '/auth/login'],
    ['POST', '/auth/oauth/token'],
    ['POST', '/token'],
  ])('is not emitted for %s %s, which may be a route of the application', async (method, path) => {
    const { send } = await startHost(express5Framework, { mountPath: '/auth' })
    await send(method, path)
    expect(warnings()).toEqual([])
  })

  it('never contains a path with other than printable characters', async () => {
    const { send } = await startHost(express5Framework, { mountPath: '/{*path}' })
    await send('POST', `/${'a'.repeat(300)}/jwt-auth/v1/token`)
    await send('POST', '/\u009b31m/jwt-auth/v1/token')
    expect(warnings()).toEqual([])
  })
})

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('a guard in front of the routes on %s', (_, createApp) => {
  it('warns once when it rejects a login', async () => {
    const { auth } = await startHost(express5Framework)
    const app = createApp()
    Reflect.apply(app.use, app, [auth.guard()])
    Reflect.apply(app.use, app, [auth])
    const send = createClient(await listen(app))
    for (let login = 0; login < 2; login++) {
      expect(await send('POST', '/jwt-auth/v1/token')).toMatchObject({ status: 401 })
    }
    expect(warnings()).toEqual(
      warning(
        'jwt-auth: a guard rejected the login POST /jwt-auth/v1/token, because it runs before the routes of jwtAuth(…). Write app.use(auth) before app.use(auth.guard()).',
      ),
    )
  })
})

describe.each([
  ['Express 5', express5],
  ['Express 4', express4],
])('the middleware of an application on %s', (_, createApp) => {
  const startApp = async (add: (app: express5.Express, auth: TestHost['auth']) => unknown) => {
    const { auth } = await startHost(express5Framework)
    const app = createApp()
    Reflect.apply(add, undefined, [app, auth])
    return { send: createClient(await listen(app)) }
  }

  it('warns if a handler responds before the guard has rejected the request', async () => {
    const { send } = await startApp((app, auth) => {
      app.use((req, res, next) => {
        auth.guard()(req, res, next)
        next()
      })
      app.get('/reports', (_req, res) => void res.end('secret'))
    })
    expect(await send('GET', '/reports')).toMatchObject({ status: 200, text: 'secret' })
    await expect.poll(warnings).toEqual(warning('a guard rejected a request after another handler had responded to it'))
  })

  it('serves a route of jwt-auth that the application lists itself', async () => {
    const { send } = await startApp((app, auth) => app.all('/jwt-auth/v1/token', auth))
    expect(await send('POST', '/jwt-auth/v1/token', credentials)).toMatchObject({ status: 200 })
    expect(await send('OPTIONS', '/jwt-auth/v1/token')).toMatchObject({ status: 404 })
    expect(warnings()).toEqual([])
  })

  it.each(['/login', '/users/:id'])('warns if the route %s has it as a handler, which checks nothing', async (path) => {
    const { send } = await startApp((app, auth) => app.post(path, auth, (_req, res) => void res.end('open')))
    expect(await send('POST', path, credentials)).toMatchObject({ status: 200, text: 'open' })
    expect(warnings()).toEqual(
      warning(
        `jwtAuth(…) is a handler of the route POST ${path}, which is none of its routes, so it passes the request`,
      ),
    )
  })

  it('warns once of each route that has it as a handler, also after other warnings', async () => {
    const { send } = await startApp((app, auth) => {
      app.use('/login', auth)
      app.all('/reports', auth)
      app.get('/users/:id', auth).post('/users/:id', auth)
    })
    await send('POST', '/login', credentials)
    for (const method of ['GET', 'PUT']) await send(method, '/reports')
    for (const path of ['/users/1', '/users/2']) await send('GET', path)
    await send('POST', '/users/1')
    expect(warnings()).toEqual([
      ...missing('/login'),
      ...['GET /reports', 'GET /users/:id', 'POST /users/:id'].flatMap((route) => warning(`the route ${route}, `)),
    ])
  })

  it('does not warn behind a route that passes the request on', async () => {
    const { send } = await startApp((app, auth) => {
      app.post('/login', (_req, _res, next) => next())
      app.use(auth)
    })
    expect(await send('POST', '/login', credentials)).toMatchObject({ status: 404 })
    expect(warnings()).toEqual([])
  })

  it.each(['/login', '/auth/token'])('warns of a mount at %s', async (mount) => {
    const { send } = await startApp((app, auth) => app.use(mount, auth))
    expect(await send('POST', mount, credentials)).toMatchObject({ status: 404 })
    expect(warnings()).toEqual(missing(mount))
  })
})
