import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { bearer, json } from '@jwt-auth/test-support/http-client'
import connect from 'connect'
import express5 from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import Koa from 'koa'
import { describe, expect, it, vi } from 'vitest'
import { AuthError, isAuthError, type Middleware } from '../src/index.js'
import { byName } from './support/by-name.js'
import { openSession } from './support/flows.js'
import { express5Framework } from './support/frameworks.js'
import { storageFailure } from './support/gated-storage.js'
import { createClient, type HostSetup, listen, startHost } from './support/test-host.js'

const forward = { errorHandling: 'forward' } as const

/** The error handler of an application, with a format of its own. */
const respondInOwnFormat = (error: unknown, _req: IncomingMessage, res: ServerResponse, _next: unknown): void => {
  if (!isAuthError(error)) throw error
  res.writeHead(error.status, { ...error.headers, 'Content-Type': 'text/plain' }).end(`own format: ${error.code}`)
}

const apps = [
  { name: 'Express 5', createApp: () => express5() },
  { name: 'Express 4', createApp: () => express4() },
  { name: 'Connect', createApp: () => connect() },
]

describe.each(byName(apps))('errorHandling: forward on %s', (_, { createApp }) => {
  /** Starts an application with our middleware, a guarded route and an error handler. */
  const start = async (options: HostSetup['options'] = forward, guardOptions = {}) => {
    const host = await startHost(express5Framework, { options: { realm: 'reports', ...options } })
    const handler = vi.fn((_req: IncomingMessage, res: ServerResponse) => void res.end('handled'))
    const app = createApp()
    for (const args of [[host.auth], ['/reports', host.auth.guard(guardOptions)], ['/reports', handler]]) {
      Reflect.apply(app.use, app, args)
    }
    Reflect.apply(app.use, app, [respondInOwnFormat])
    return { host, handler, send: createClient(await listen(app)) }
  }

  it('passes the error of a guard to the error handler, with the headers of the service', async () => {
    const { send, handler } = await start()
    expect(await send('GET', '/reports', bearer('abc'))).toMatchObject({
      status: 401,
      text: 'own format: jwt_auth_invalid_token',
      headers: { 'www-authenticate': 'Bearer realm="reports", error="invalid_token"' },
    })
    expect(handler).not.toHaveBeenCalled()
  })

  it('passes the errors of the routes to the error handler', async () => {
    const { send, host } = await start()
    const wrong = json({ username: 'ada', password: 'wrong' })
    for (const [method, path, message, code] of [
      ['POST', '/jwt-auth/v1/token', wrong, 'jwt_auth_failed'],
      ['POST', '/jwt-auth/v1/token', {}, 'jwt_auth_invalid_request'],
      ['GET', '/jwt-auth/v1/token', {}, 'jwt_auth_method_not_allowed'],
      ['GET', '/jwt-auth/v1/nothing', {}, 'jwt_auth_no_route'],
    ] as const) {
      expect((await send(method, path, message)).text).toBe(`own format: ${code}`)
    }
    expect(host.reports).toEqual([])
  })

  it('gives rejections one line instead of a stack, for an application without an error handler', async () => {
    const { host } = await start()
    const app = createApp()
    const keep = vi.fn(
      (error: unknown, _req: unknown, res: ServerResponse, _next: unknown) => void res.end(String(error)),
    )
    for (const run of [host.auth.guard(), keep]) Reflect.apply(app.use, app, [run])
    await createClient(await listen(app))('GET', '/')
    expect(keep.mock.calls[0]?.[0]).toMatchObject({
      stack:
        "AuthError: Authorization header not found. (forwarded by jwt-auth: with errorHandling 'forward', respond in your error handler after the routes)",
    })
  })

  it('calls onError once', async () => {
    const { send, host } = await start()
    const { token } = await openSession(host)
    host.storage.fail(storageFailure, 'findByIds')
    expect(await send('GET', '/reports', bearer(token))).toMatchObject({
      status: 503,
      text: 'own format: jwt_auth_unavailable',
      headers: { 'retry-after': '1' },
    })
    expect(host.reports.map(({ code }) => code)).toEqual(['jwt_auth_unavailable'])
  })

  it('is overridden by the option of a guard, in both directions', async () => {
    const responding = await start(forward, { errorHandling: 'respond' })
    expect((await responding.send('GET', '/reports')).text).toContain('"code":"jwt_auth_no_auth_header"')

    const forwarding = await start({}, forward)
    expect((await forwarding.send('GET', '/reports')).text).toBe('own format: jwt_auth_no_auth_header')
    expect((await forwarding.send('GET', '/jwt-auth/v1/token')).text).toContain('"code":"jwt_auth_method_not_allowed"')
  })
})

/** A handler of the application, which may throw or reject. */
type Handler = (req: IncomingMessage, res: ServerResponse) => unknown

/** Frameworks whose own error handler reads the fields of http-errors. */
const ownErrorHandlers: readonly (readonly [string, (handler: Handler) => Promise<RequestListener>])[] = [
  ['Express 5', async (handler) => express5().use(async (req, res) => handler(req, res))],
  // Express 4 does not wait for promises.
  [
    'Express 4',
    async (handler) =>
      express4().use((req, res, next) => {
        Promise.resolve()
          .then(() => handler(req, res))
          .catch(next)
      }),
  ],
  [
    'Fastify',
    async (handler) => {
      const app = Fastify()
      app.get('/', async (request, reply) => handler(request.raw, reply.raw))
      await app.ready()
      return app.routing
    },
  ],
  [
    'Koa',
    async (handler) => {
      const app = new Koa()
      // Koa logs failures of the server (5xx).
      app.silent = true
      return app.use(async (ctx) => handler(ctx.req, ctx.res)).callback()
    },
  ],
]

/** Runs middleware, and rejects with the error that it forwards. */
const runToEnd = (run: Middleware, req: IncomingMessage, res: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => run(req, res, (error) => (error === undefined ? resolve() : reject(error))))

describe.each(ownErrorHandlers)('the own error handler of %s', (_, createListener) => {
  it('responds to a forwarded error with its status and its headers', async () => {
    const { auth } = await startHost(express5Framework, { options: forward })
    const guard = auth.guard()
    const port = await listen(await createListener((req, res) => runToEnd(guard, req, res)))
    expect(await createClient(port)('GET', '/')).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer realm="jwt-auth"' },
    })
  })

  it.each([
    ['jwt_auth_invalid_token', 401, { 'www-authenticate': 'Bearer realm="jwt-auth", error="invalid_token"' }],
    ['jwt_auth_failed', 403, {}],
    ['jwt_auth_method_not_allowed', 405, { allow: 'POST' }],
    ['jwt_auth_rate_limited', 429, { 'retry-after': '7' }],
    ['jwt_auth_unavailable', 503, {}],
  ] as const)('responds to a thrown %s with its status %i and its headers alone', async (code, status, headers) => {
    const details = { detail: 'the detail', cause: new Error('the cause') }
    const error = new AuthError(code, { ...details, retryAfterSeconds: 7, allowedMethods: ['POST'] })
    const listener = await createListener(() => {
      throw error
    })
    const response = await createClient(await listen(listener))('GET', '/')
    expect(response).toMatchObject({ status, headers })
    expect(response.text).not.toMatch(/detail|cause/)
  })
})

describe('errorHandling: forward without a next handler', () => {
  it('responds, because no error handler exists', async () => {
    const { auth } = await startHost(express5Framework, { options: forward })
    const send = createClient(await listen((req, res) => auth(req, res)))
    expect(await send('GET', '/elsewhere')).toMatchObject({ status: 404 })
    expect((await send('POST', '/jwt-auth/v1/token', json({}))).text).toContain('"code":"jwt_auth_invalid_request"')
  })

  it('leaves a frozen error of the application as it is', async () => {
    const frozen = Object.freeze(new AuthError('jwt_auth_forbidden'))
    const { auth } = await startHost(express5Framework, { options: { ...forward, realm: 'reports' } })
    const { accessToken } = await auth.sessions.create(7)
    const guard = auth.guard({ allow: () => Promise.reject(frozen) })
    const forwarded = vi.fn()
    const port = await listen((req, res) => guard(req, res, (error) => void res.end(forwarded(error))))
    await createClient(port)('GET', '/', bearer(accessToken))
    expect(forwarded).toHaveBeenCalledExactlyOnceWith(frozen)
  })
})
