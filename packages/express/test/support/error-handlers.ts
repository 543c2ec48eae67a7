import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import express5 from 'express'
import express4 from 'express4'
import Fastify from 'fastify'
import Koa from 'koa'

/** A handler of the application, which may throw or reject. */
type Handler = (req: IncomingMessage, res: ServerResponse) => unknown

/** A framework whose own error handler responds to the errors of one handler. */
export interface HostWithErrorHandler {
  readonly name: string
  readonly createListener: (handler: Handler) => Promise<RequestListener>
}

/** Every framework whose error handler reads the fields of http-errors. */
export const hostsWithErrorHandler: readonly HostWithErrorHandler[] = [
  { name: 'Express 5', createListener: async (handler) => express5().use(async (req, res) => handler(req, res)) },
  {
    name: 'Express 4',
    // Express 4 does not wait for promises.
    createListener: async (handler) =>
      express4().use((req, res, next) => {
        Promise.resolve()
          .then(() => handler(req, res))
          .catch(next)
      }),
  },
  {
    name: 'Fastify',
    createListener: async (handler) => {
      const app = Fastify()
      app.get('/', async (request, reply) => handler(request.raw, reply.raw))
      await app.ready()
      return app.routing
    },
  },
  {
    name: 'Koa',
    createListener: async (handler) => {
      const app = new Koa()
      // Koa logs failures of the server (5xx).
      app.silent = true
      return app.use(async (ctx) => handler(ctx.req, ctx.res)).callback()
    },
  },
]
