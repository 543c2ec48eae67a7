// Compiled, never run: by `tsc` over the sources, and by scripts/check-types.mjs over the packed packages.
import { createServer } from 'node:http'
import { jwtAuth, type SessionStorage, type UserDirectory } from '@jwt-auth/express'
import connect from 'connect'
import express, { type Request as Request5 } from 'express'
import express4, { type Request as Request4 } from 'express4'

interface Account {
  readonly id: number
  readonly email: string
  readonly role: 'admin' | 'reader'
}

declare const users: UserDirectory<Account>
declare const storage: SessionStorage

const auth = jwtAuth({ issuer: 'https://api.example.com', storage, users, claims: ({ role }) => ({ role }) })

/** The caller and the request of Express 5, without a cast. */
export const checkExpress5 = (): void => {
  const app = express()
  app.use(auth)
  app.get('/documents/:id', auth.guard(), (req, res) => {
    const { userId, claims } = auth.getAuth(req)
    res.json({ id: req.params.id.trim(), by: userId.toFixed(), role: claims.role satisfies Account['role'] })
  })
  app.get(
    '/documents/:id',
    auth.guard({ allow: ({ claims }, req: Request5<{ id: string }>) => req.params.id === claims.role }),
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
    auth.guard({ allow: (_, req: Request5<{ name: string }>) => req.params.name === 'a' }),
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

/** The caller and the request of Express 4, without a cast. */
export const checkExpress4 = (): void => {
  const app = express4()
  app.use(auth)
  app.get(
    '/documents/:id',
    auth.guard({ allow: ({ claims }, req: Request4<{ id: string }>) => req.params.id === claims.role }),
    (req, res) => {
      res.json({ id: req.params.id.trim(), by: auth.getAuth(req).userId.toFixed() })
    },
  )
  app.route('/documents/:id').get(auth.guard({ allow: (_, req) => req.params.id.trim() === 'a' }), (req, res) => {
    res.json(req.params.id.trim())
  })
}

/** The caller and the request of Connect, without a cast. */
export const checkConnect = (): void => {
  const app = connect()
  app.use(auth)
  app.use('/reports', auth.guard({ allow: ({ claims }, req) => req.originalUrl === claims.role }))
  app.use('/reports', (req, res) => {
    res.end(auth.getAuth(req).userId.toFixed())
  })
}

/** The caller of a bare server, without a cast. */
export const checkNodeHttp = (): void => {
  const guard = auth.guard({ allow: ({ claims }, req) => req.url === claims.role })
  createServer((req, res) => {
    auth(req, res, () => {
      guard(req, res, () => {
        res.end(auth.getAuth(req).userId.toFixed())
      })
    })
  })
}
