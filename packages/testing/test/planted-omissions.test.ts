import type { RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { expectRoutesGuarded } from '../src/index.js'
import { createAuth, type ExpressVersion, respond, versions } from './support/routes.js'

const auth = createAuth()
const guard = auth.guard()

const createNoGuard: RequestHandler = (_req, _res, next) => {
  auth.guard()
  next()
}

/** Creates an application whose routes are all guarded, and adds more to it. */
const createApp = (express: ExpressVersion, add: (app: ReturnType<ExpressVersion>) => unknown) => {
  const app = express().use(express.json()).use(auth).get('/health', respond)
  app.route('/reports').get(guard, respond).post(guard, respond)
  app.use('/api', guard, express.Router().get('/:id', respond))
  add(app)
  return app
}

const check = (app: object): void => expectRoutesGuarded(app, { except: ['GET /health'] })

const mounted = 'unknown  USE /x  Express does not show the routes of a mounted function'

const omissions: readonly (readonly [
  string,
  (app: ReturnType<ExpressVersion>, express: ExpressVersion) => unknown,
  string,
])[] = [
  ['a guard after the handler', (app) => app.get('/x', respond, guard), 'unguarded  GET /x'],
  ['a guard that is mounted after the route', (app) => app.get('/x', respond).use(guard), 'unguarded  GET /x'],
  ['a guard on one method only', (app) => app.route('/x').get(guard, respond).delete(respond), 'unguarded  DELETE /x'],
  [
    'a router that is mounted twice, once without a guard',
    (app, express) => {
      const router = express.Router().get('/x', respond)
      app.use('/v1', guard, router).use('/v2', router)
    },
    'unguarded  GET /v2/x',
  ],
  ['a function for all methods', (app) => app.all('/x', respond), 'unguarded  ALL /x'],
  ['a guard that is created and never called', (app) => app.get('/x', createNoGuard, respond), 'unguarded  GET /x'],
  ['a factory of guards in place of a guard', (app) => app.get('/x', () => auth.guard, respond), 'unguarded  GET /x'],
  ['an optional guard', (app) => app.get('/x', auth.guard({ optional: true }), respond), 'optional  GET /x'],
  ['a guard of another path', (app) => app.use('/y', guard).get('/x', respond), 'unguarded  GET /x'],
  ['a mounted function', (app) => app.use('/x', respond), mounted],
  ['a mounted application', (app, express) => app.use('/x', express()), mounted],
]

describe.each(versions)('expectRoutesGuarded on %s', (_, express) => {
  it('accepts an application with a guard before every route but the exceptions', () => {
    check(createApp(express, () => {}))
  })

  it.each(omissions)('fails for %s, and names the route', (_, add, row) => {
    const app = createApp(express, (created) => add(created, express))
    expect(() => check(app)).toThrow(
      expect.objectContaining({
        name: 'AssertionError',
        message: `jwt-auth: the routes without a guard differ from the option \`except\`:\n\n  ${row}`,
      }),
    )
  })

  it.each([
    ['does not exist', 'GET /nothing'],
    ['is guarded', 'GET /reports'],
  ])('fails for an exception whose route %s', (_, name) => {
    const app = createApp(express, () => {})
    expect(() => expectRoutesGuarded(app, { except: ['GET /health', name] })).toThrow(
      `:\n\n  needless  ${name}  is guarded or does not exist`,
    )
  })

  it('names needless exceptions together with unguarded routes', () => {
    const app = express().get('/a', respond)
    expect(() => expectRoutesGuarded(app, { except: ['GET /b'] })).toThrow(
      '\n\n  unguarded  GET /a\n  needless  GET /b  is guarded or does not exist',
    )
  })

  it.each([
    [{ expect: [] }, 'did you mean `except`?'],
    [{ except: 'GET /health' }, 'option `expectRoutesGuarded.except` must be a list of routes'],
  ])('throws a TypeError for the options %j', (options, message) => {
    expect(() => Reflect.apply(expectRoutesGuarded, undefined, [express(), options])).toThrow(message)
  })

  it('fails for an application without routes', () => {
    expect(() => expectRoutesGuarded(express())).toThrow('jwt-auth: the application has no routes')
  })
})
