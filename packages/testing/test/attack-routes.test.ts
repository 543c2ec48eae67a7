import type { RequestHandler } from 'express'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { attackRoutes, badCredentials, createTestAuth } from '../src/index.js'
import { createAuth, passOn, respond, users, versions } from './support/routes.js'

/** Middleware that looks like a guard to the audit, and is none. */
const markAsGuard = (middleware: RequestHandler): RequestHandler =>
  Object.defineProperty(middleware, Symbol.for('@jwt-auth/express.guard'), { value: {} })

const findFailure = (attack: Promise<unknown>): Promise<string> =>
  attack.then(
    () => 'the attack found nothing',
    (error: Error) => error.message,
  )

describe.each(versions)('attackRoutes on %s', (_, express) => {
  it('sends every bad credential to every guarded route, and resolves to the routes', async () => {
    const auth = createAuth()
    const received: string[] = []
    const app = express().use((req, _res, next) => {
      received.push(`${req.method} ${req.url}`)
      next()
    })
    app.get('/health', respond).delete('/users/:id/posts/:slug', auth.guard(), respond)
    app.all('/all', auth.guard(), respond).use('/graphql', auth.guard(), respond)
    app.get(/^\/files\/(.+)/, auth.guard({ checkUser: true, allow: () => false }), respond)
    const attacked = await attackRoutes(app, {
      auth,
      userId: 1,
      params: { slug: 'a b' },
      urls: { 'GET /^\\/files\\/(.+)/': '/files/x' },
    })

    const urls = ['DELETE /users/1/posts/a%20b', 'GET /all', 'GET /files/x', 'GET /graphql']
    const { length } = await badCredentials(auth, 1)
    // One more without the guards.
    expect(received.toSorted()).toEqual(urls.flatMap((url) => new Array(length + 1).fill(url)).toSorted())
    expect(attacked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'DELETE /users/:id/posts/:slug',
      'ALL /all',
      'USE /graphql',
      'GET /^\\/files\\/(.+)/',
    ])
  })

  it('never runs a handler, and restores the functions of the application', async () => {
    const auth = createAuth()
    let runs = 0
    const count: RequestHandler = (_req, res) => {
      runs += 1
      res.json({ runs })
    }
    const app = express().get('/a', auth.guard(), passOn, count)
    const readStack = (): readonly unknown[] => {
      const { stack = [] } = app.stack === undefined ? (Reflect.get(app, '_router') ?? app.router) : app
      return stack.flatMap((layer: { route?: { stack: { handle: unknown }[] }; handle: unknown }) => [
        layer.handle,
        ...(layer.route?.stack ?? []).map(({ handle }) => handle),
      ])
    }
    const before = readStack()
    await attackRoutes(app, { auth, userId: 1 })

    expect(runs).toBe(0)
    expect(before).toContain(count)
    expect(readStack()).toEqual(before)
  })

  it('fails when a bad credential reaches a function behind a guard, and still runs no handler', async () => {
    const auth = createAuth()
    let runs = 0
    const app = express().get('/a', markAsGuard(passOn.bind(undefined)), () => {
      runs += 1
    })
    const message = await findFailure(attackRoutes(app, { auth, userId: 1 }))

    // One row for all credentials.
    expect(message).toMatch(/:\n\n {2}GET \/a {2}reached a function behind the guard {2}.*an expired token.*$/)
    expect(runs).toBe(0)
  })

  it('fails when a guard responds and then calls the function behind it', async () => {
    const leaky: RequestHandler = (_req, res, next) => {
      res.status(401).json({})
      next()
    }
    const app = express().get('/a', markAsGuard(leaky), respond)
    const message = await findFailure(attackRoutes(app, { auth: createAuth(), userId: 1 }))
    expect(message).toMatch(/GET \/a {2}reached a function behind the guard {2}.*an expired token/)
  })

  it('fails when a guard of another service responds, or middleware before the guard', async () => {
    const [auth, other] = [createAuth(), createAuth()]
    const app = express().get(
      '/a',
      markAsGuard((_req, res) => void res.status(403).json({ code: 'nope' })),
      respond,
    )
    expect(await findFailure(attackRoutes(app, { auth, userId: 1 }))).toContain(
      'GET /a  received 403 nope  no header, ',
    )
    await attackRoutes(express().get('/a', other.guard(), respond), { auth, userId: 1 })
  })

  it('fails when the URL does not lead to the route', async () => {
    const auth = createAuth()
    const app = express()
      .get('/users/:id', auth.guard(), respond)
      .get(/^\/users\/1$/, auth.guard(), respond)
    const attack = attackRoutes(app, { auth, userId: 1, urls: { 'GET /^\\/users\\/1$/': '/users/2' } })

    expect(await findFailure(attack)).toContain('GET /^\\/users\\/1$/  received 401 jwt_auth_no_auth_header  no guard')
  })

  it('runs no handler of another route, where a wrong URL leads', async () => {
    const auth = createAuth()
    let runs = 0
    const app = express()
      .use(auth.guard())
      .get('/a', () => {
        runs += 1
      })
      .get(/^\/b/, respond)
    const message = await findFailure(attackRoutes(app, { auth, userId: 1, urls: { 'GET /^\\/b/': '/a' } }))

    expect(message).toContain('GET /^\\/b/  received 404  no guard')
    expect(runs).toBe(0)
  })

  it('fails when an unguarded route responds to the URL of a guarded route, and passes mounted functions', async () => {
    const auth = createAuth()
    const app = express()
      .use('/:any/secret', passOn)
      .get('/files/:id', respond)
      .get('/files/secret', auth.guard(), respond)

    expect(await findFailure(attackRoutes(app, { auth, userId: 1 }))).toMatch(
      /:\n\n {2}GET \/files\/secret {2}reached the handler of GET \/files\/:id {2}no header, .*$/,
    )
  })

  it('names the route and the credential of a request without a response', async () => {
    const auth = createAuth()
    const app = express().use((req) => void req.socket.destroy())
    app.get('/a', auth.guard(), respond)

    expect(await findFailure(attackRoutes(app, { auth, userId: 1 }))).toMatch(
      /^jwt-auth: no response within 3 seconds:\n\n {2}GET \/a {2}no header {2}socket hang up$/,
    )
  })

  it('runs the application as always for other requests in the meantime', async () => {
    const auth = createAuth()
    const statuses: number[] = []
    let requests = 0
    const app = express().use((_req, _res, next) => {
      requests += 1
      if (requests !== 2) return next()
      const others = ['/health', '/a'].map((path) => request(app).get(path))
      Promise.all(others).then((responses) => {
        statuses.push(...responses.map(({ status }) => status))
        next()
      }, next)
    })
    app.get('/health', respond).get('/a', auth.guard(), respond)
    await attackRoutes(app, { auth, userId: 1 })

    expect(statuses).toEqual([200, 401])
  })

  it('sends only bearer credentials to a route with an optional guard', async () => {
    const auth = createAuth()
    await attackRoutes(express().get('/a', auth.guard({ optional: true }), respond), { auth, userId: 1 })
  })

  it('accepts the body of the application when its guard forwards errors', async () => {
    const auth = createTestAuth({ users, errorHandling: 'forward', onError: () => {} })
    const app = express().get('/a', auth.guard(), respond)
    app.use(((error, _req, res, _next) => {
      res.status(error.status).send('Sorry')
    }) satisfies import('express').ErrorRequestHandler)
    await attackRoutes(app, { auth, userId: 1 })
  })

  it('fails without a guarded route', async () => {
    const attack = attackRoutes(express().get('/a', respond), { auth: createAuth(), userId: 1 })
    expect(await findFailure(attack)).toBe('jwt-auth: the application has no guarded routes')
  })
})
