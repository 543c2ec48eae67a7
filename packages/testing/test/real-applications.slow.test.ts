import { createRequire } from 'node:module'
import { createBullBoard } from '@bull-board/api'
import { ExpressAdapter } from '@bull-board/express'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { attackRoutes, auditRoutes, expectRoutesGuarded } from '../src/index.js'
import { createAuth } from './support/routes.js'

interface JsonServer {
  create(): express.Express
  router(tables: object): express.Router
}

// json-server has no types.
const jsonServer: JsonServer = createRequire(import.meta.url)('json-server')

const auth = createAuth()

/** Creates json-server, on Express 4, with the routes of two tables and one object below `/api`. */
const createJsonServer = (protect: (app: express.Express) => unknown) => {
  const app = jsonServer.create()
  protect(app)
  return app.use('/api', jsonServer.router({ posts: [{ id: 1 }], comments: [], profile: {} }))
}

/** Creates the dashboard of bull-board, on Express 5, after a function has changed its application. */
const createDashboard = (protect: (app: express.Express) => unknown): express.Express => {
  const serverAdapter = new ExpressAdapter()
  const app: express.Express = serverAdapter.getRouter()
  protect(app)
  createBullBoard({ queues: [], serverAdapter })
  return app
}

const applications = [
  {
    name: 'json-server',
    create: createJsonServer,
    routes: 25,
    deletion: { method: 'DELETE', path: '/api/posts/:id', access: 'unguarded', rules: [] },
  },
  {
    name: 'bull-board',
    create: createDashboard,
    routes: 40,
    deletion: { method: 'PUT', path: '/api/queues/:queueName/obliterate', access: 'unguarded', rules: [] },
  },
]

describe.each(applications)('$name', ({ create, routes, deletion }) => {
  it('has no guard before any route, which the audit shows', () => {
    const audited = auditRoutes(create(() => {}))

    expect(audited).toHaveLength(routes)
    expect(audited).toContainEqual(deletion)
    expect(audited.filter(({ access }) => access === 'guarded')).toEqual([])
  })

  it('passes the check and the attack with a guard before its routes', async () => {
    const app = create((unprotected) => unprotected.use(auth.guard()))
    expectRoutesGuarded(app)
    const urls = { 'GET /:resource/:id/:nested': '/api/posts/1/comments' }

    expect(await attackRoutes(app, { auth, userId: 1, urls })).toHaveLength(routes)
  })

  it('fails the check with a guard at a path that not all of its routes have', () => {
    const app = create((unprotected) => unprotected.use('/api/posts', auth.guard()).use('/static', auth.guard()))
    expect(() => expectRoutesGuarded(app)).toThrow('unguarded')
  })
})

describe('bull-board that an application mounts', () => {
  it('is unknown without a guard, and guarded behind one', () => {
    const dashboard = createDashboard(() => {})
    const app = express().use('/open', dashboard).use('/queues', auth.guard(), dashboard)

    expect(auditRoutes(app)).toMatchObject([
      { method: 'USE', path: '/open', access: 'unknown' },
      { method: 'USE', path: '/queues', access: 'guarded' },
    ])
  })
})
