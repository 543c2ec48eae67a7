// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.
import express, { type Request } from 'express'
import { type Account, auth } from './service.js'

declare global {
  namespace Express {
    interface Request {
      readonly auth?: ReturnType<typeof auth.getAuth>
    }
  }
}

/** The caller and the request of Express 5, without a cast. */
export const checkExpress5 = (): void => {
  const app = express()
  app.use(auth)
  app.get('/documents/:id', auth.guard(), (req, res) => {
    const { userId, claims } = auth.getAuth(req)
    res.json({ id: req.params.id.trim(), by: userId.toFixed(), role: claims.role satisfies Account['role'] })
    req.auth?.claims.role satisfies Account['role'] | undefined
    // @ts-expect-error: a route without a guard has no caller.
    req.auth.userId
  })
  // @ts-expect-error: the request of a rule has its type from the rule or from `app.route(path)`.
  app.get('/documents/:id', auth.guard({ allow: (_, req) => req.params.id === 'a' }))
  app.get(
    '/documents/:id',
    auth.guard({ allow: ({ claims }, req: Request<{ id: string }>) => req.params.id === claims.role }),
    (req, res) => {
      res.json(req.params.id.trim())
    },
  )
  app
    .route('/documents/:id')
    .get(auth.guard({ allow: async ({ claims }, req) => req.params.id.trim() === claims.role }), (req, res) => {
      res.json(req.params.id.trim())
    })
  app.get(
    '/documents/:id',
    auth.guard({ allow: (_, req: Request<{ name: string }>) => req.params.name === 'a' }),
    (req, res) => {
      // @ts-expect-error: the handlers of a route share the type of the guard.
      res.json(req.params.id)
    },
  )
  // @ts-expect-error: there is no such role.
  app.use(auth.guard({ allow: ({ claims }) => claims.role === 'editor' }))
  app.get('/profile', auth.guard({ checkUser: true }), (req, res) => {
    res.json({ role: auth.getUser(req).role satisfies Account['role'] })
  })
  app.get('/news', auth.guard({ optional: true }), (req, res) => {
    // @ts-expect-error: the caller may be anonymous.
    res.json(auth.getOptionalAuth(req).userId)
  })
}
