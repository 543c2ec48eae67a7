// Compiled, never run: by `tsc` over the sources, and by scripts/consumers.mjs over the packed packages.

import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import { claimEquals } from '@jwt-auth/express'
import connect from 'connect'
import express4, { type Request as Request4 } from 'express4'
import Fastify from 'fastify'
import { auth } from './service.js'

/** The caller and the request of Connect, without a cast. */
export const checkConnect = (): void => {
  const app = connect()
  app.use(auth)
  app.use('/reports', auth.guard({ allow: ({ claims }, req) => req.originalUrl === claims.role }))
  app.use('/reports', (req, res) => {
    res.end(auth.getAuth(req).userId.toFixed())
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

/** The caller of a route of Fastify, without a cast. */
export const checkFastify = (): void => {
  const app = Fastify()
  const guard = auth.guard({ allow: ({ claims }, req) => req.url === claims.role })
  app.addHook('preHandler', (request, reply, done) => guard(request.raw, reply.raw, done))
  app.get('/reports', async (request) => ({ by: auth.getAuth(request.raw).userId.toFixed() }))
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

/** The caller of a `Request`, of an object with headers and of Node's request, without a cast. */
export const checkWebRequest = async (request: Request, req: IncomingMessage): Promise<Response> => {
  try {
    const { userId } = await auth.verifyRequest(request, { allow: ({ claims }, { url }) => url === claims.role })
    const { claims } = await auth.verifyRequest({ headers: request.headers }, { allow: claimEquals('role', 'admin') })
    await auth.verifyRequest(req, { allow: (_caller, { rawHeaders }) => rawHeaders.length > 0 })
    return new Response(`${userId.toFixed()} ${claims.role}`)
  } catch (error) {
    return auth.toErrorResponse(error)
  }
}
