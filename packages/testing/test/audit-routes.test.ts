import { hasScope } from '@jwt-auth/express'
import connect from 'connect'
import { describe, expect, it } from 'vitest'
import { auditRoutes } from '../src/index.js'
import { createAuth, listRoutes, passOn, respond, versions } from './support/routes.js'

const auth = createAuth()
const guard = auth.guard()

describe.each(versions)('auditRoutes on %s', (_, express) => {
  it('lists the routes of nested routers with their whole paths, in order', () => {
    const inner = express.Router().get('/', respond).get('/:id', respond)
    const outer = express.Router().use('/users', inner).post('/login', respond)
    const app = express().get('/health', respond).use('/api', outer)

    expect(listRoutes(app)).toEqual([
      'unguarded GET /health',
      'unguarded GET /api/users',
      'unguarded GET /api/users/:id',
      'unguarded POST /api/login',
    ])
  })

  it('lists each path of a list, and each method of a route', () => {
    const app = express().use(['/v1', '/v2'], express.Router().get(['/a', '/b'], respond))
    app.route('/c').get(guard, respond).put(respond)

    expect(listRoutes(app)).toEqual([
      'unguarded GET /v1/a',
      'unguarded GET /v1/b',
      'unguarded GET /v2/a',
      'unguarded GET /v2/b',
      'guarded GET /c',
      'unguarded PUT /c',
    ])
  })

  it('lists a route of a regular expression, which only a guard of the route or of its whole router guards', () => {
    const app = express().use('/a', guard).get(/^\/a/, respond).get(/^\/b/, guard, respond)

    expect(listRoutes(app)).toEqual(['unknown GET /^\\/a/', 'guarded GET /^\\/b/'])
  })

  it('lists a function for all methods once, also with functions before it', () => {
    const app = express().all('/a', respond).all('/b', passOn, guard, respond)
    app.route('/c').all(guard).get(respond)
    app.route('/d').get(guard, respond).all(respond)

    expect(listRoutes(app)).toEqual([
      'unguarded ALL /a',
      'guarded ALL /b',
      'guarded GET /c',
      'guarded GET /d',
      'unguarded ALL /d',
    ])
  })

  it('finds the guard of a route after other middleware, in lists too', () => {
    const app = express()
      .get('/a', guard, respond)
      .get('/b', passOn, guard, passOn, respond)
      .get('/c', [passOn, guard], respond)

    expect(listRoutes(app)).toEqual(['guarded GET /a', 'guarded GET /b', 'guarded GET /c'])
  })

  it('finds guards that are mounted before a route, at its path or above it', () => {
    const router = express.Router().use(guard).get('/x', respond)
    const app = express()
      .use('/a', guard)
      .get('/a', respond)
      .get('/A/b/:id', respond)
      .use('/c/:id', guard)
      .get('/c/7', respond)
      .get('/c/:other/d', respond)
      .use('/e', router)
      .use('/f', guard, express.Router().get('/x', respond))

    expect(auditRoutes(app).map(({ access }) => access)).toEqual(new Array(6).fill('guarded'))
  })

  it('does not count a guard at a path that only some URLs of a route have', () => {
    const app = express()
      .use('/a/b', guard)
      .get('/a', respond)
      .get('/ab', respond)
      .get('/a/:id', respond)
      .use('/c/:id', guard)
      .get('/c', respond)

    expect(auditRoutes(app).map(({ access }) => access)).toEqual(new Array(4).fill('unguarded'))
  })

  it('counts no guard in another route or router, where a function may skip it', () => {
    const app = express().all('/a', guard).get('/a', respond).use('/b', express.Router().use(guard)).get('/b', respond)

    expect(auditRoutes(app)).toEqual([
      expect.objectContaining({ access: 'unknown', path: '/a', reason: 'the guard is in another route or router' }),
      expect.objectContaining({ access: 'unknown', path: '/b', reason: 'the guard is in another route or router' }),
    ])
  })

  it('counts no guard before an error handler, which may continue a request that skipped the guard', () => {
    const app = express()
      .use(guard)
      .use((_error: unknown, _req: unknown, _res: unknown, next: () => void) => next())
      .get('/a', respond)
      .get('/b', guard, respond)

    expect(auditRoutes(app)).toMatchObject([
      { access: 'unknown', path: '/a', reason: 'an error handler is between the guard and the handler' },
      { access: 'guarded', path: '/b' },
    ])
  })

  it('counts a guard before an error handler at a path that no URL of the route has', () => {
    const app = express()
      .use(guard)
      .use('/a/b', (_error: unknown, _req: unknown, _res: unknown, next: () => void) => next())
      .get('/a/b/c', respond)
      .get('/a/:id', respond)
      .get('/a/c', respond)

    expect(listRoutes(app)).toEqual(['unknown GET /a/b/c', 'unknown GET /a/:id', 'guarded GET /a/c'])
  })

  it('counts no guard after a function that cannot pass requests on', () => {
    expect(auditRoutes(express().get('/a', respond, guard, respond))).toEqual([
      {
        method: 'GET',
        path: '/a',
        access: 'unknown',
        rules: [],
        reason: 'a function without `next` is before the guard',
      },
    ])
  })

  it('names the rules of all guards of a route, and the routes that anonymous requests reach', () => {
    const app = express()
      .use('/a', auth.guard({ checkUser: true }))
      .get('/a', auth.guard({ allow: hasScope('a:read', 'b'), maxAuthAgeSeconds: 300 }), respond)
      .get('/b', auth.guard({ optional: true, allow: () => true }), respond)

    expect(auditRoutes(app)).toEqual([
      {
        method: 'GET',
        path: '/a',
        access: 'guarded',
        rules: ['checkUser', 'maxAuthAgeSeconds 300', 'scope a:read b'],
      },
      { method: 'GET', path: '/b', access: 'optional', rules: ['allow'] },
    ])
  })

  it('lists every function that is mounted at a path, except for parsers, and every mounted application, as unknown without a guard', () => {
    const app = express()
      .use(express.json())
      .use(auth)
      .use('/api', express.json(), passOn)
      .get('/api/reports', guard, respond)
      .use('/graphql', guard, respond)
      .use('/admin', express())
      .use('/account', guard, express())
      .use('/legacy', connect())
      .use(respond)
      .use((_error: unknown, _req: unknown, _res: unknown, next: () => void) => next())

    expect(listRoutes(app)).toEqual([
      'unknown USE /api',
      'guarded GET /api/reports',
      'guarded USE /graphql',
      'unknown USE /admin',
      'guarded USE /account',
      'unknown USE /legacy',
    ])
  })

  it('lists the routes of a router, and nothing for an application without routes', () => {
    expect(listRoutes(express.Router().get('/a', guard, respond))).toEqual(['guarded GET /a'])
    expect(listRoutes(express())).toEqual([])
  })
})

describe('auditRoutes', () => {
  it.each([
    ['an application of Connect', connect()],
    ['an object', {}],
    ['a function', respond],
  ])('throws a TypeError for %s', (_, app) => {
    expect(() => auditRoutes(app)).toThrow('expected an application or a router of Express 4 or 5')
  })
})
