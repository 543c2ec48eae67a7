import { json } from '@jwt-auth/test-support/http-client'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it } from 'vitest'
import { byName } from './support/by-name.js'
import { openSession } from './support/flows.js'
import { express4Framework, express5Framework, type Framework, frameworks } from './support/frameworks.js'
import { createClient, hostResponse, listen, startHost } from './support/test-host.js'
import { password } from './support/test-users.js'
import { watchWarnings } from './support/watch-warnings.js'

const warnings = watchWarnings('JWT_AUTH_MOUNT')

const credentials = json({ username: 'ada', password })
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

describe('a router below a prefix', () => {
  it.each([
    ['Express 5', express5, express5.Router()],
    ['Express 4', express4, express4.Router()],
  ])('serves the routes below the prefix on %s', async (_, createApp, router) => {
    const host = await startHost(express5Framework)
    const app = createApp()
    Reflect.apply(router.use, router, ['/jwt-auth/v1', host.auth])
    Reflect.apply(app.use, app, ['/api', router])
    const { refreshToken } = await openSession(host)
    const send = createClient(await listen(app))
    const body = json({ refresh_token: refreshToken })
    expect(await send('POST', '/api/jwt-auth/v1/token/refresh', body)).toMatchObject({ status: 200 })
    expect(await send('POST', '/jwt-auth/v1/token/refresh', body)).toMatchObject({ status: 404 })
  })
})

describe('the warning of a mount that hides the routes', () => {
  const warning = (text: string) => [[expect.stringContaining(text), { code: 'JWT_AUTH_MOUNT' }]]

  it('is emitted once behind a wildcard, and names the right mount', async () => {
    const { send } = await startHost(express5Framework, { mountPath: '/{*path}' })
    for (const path of ['/api/jwt-auth/v1/token', '/other/jwt-auth/v1/token']) {
      expect(await send('POST', path, credentials)).toMatchObject(passedOn)
    }
    expect(warnings()).toEqual(
      warning(
        "jwt-auth: POST /api/jwt-auth/v1/token reached jwtAuth(…), which is below a wildcard. Mount it with app.use(auth), or with app.use('/api', auth).",
      ),
    )
  })

  it.each(byName(withOriginalUrl))('is emitted for a path without the namespace on %s', async (_, framework) => {
    const { send } = await startHost(framework, { mountPath: '/auth' })
    expect(await send('POST', '/auth/token/refresh', credentials)).toMatchObject(passedOn)
    expect(warnings()).toEqual(
      warning(
        "jwtAuth(…), which is mounted at /auth, and has the route /auth/jwt-auth/v1/token/refresh. Change the path of the client, or mount with app.use(auth) and set `namespace: '/auth'`.",
      ),
    )
    expect(warnings()).toEqual(warning('docs/guide.md#mounting'))
  })

  it.each([
    ['GET', '/auth/token'],
    ['POST', '/auth/me'],
    ['GET', '/auth/me'],
    ['POST', '/auth/tokens'],
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
