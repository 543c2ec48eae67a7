import type { RequestListener } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'

/** A Fastify app with the given routes, to be called by a server of node:http like all the others. */
export const openFastify = async (
  addRoutes: (app: FastifyInstance) => void | Promise<void>,
): Promise<RequestListener> => {
  const app = fastify()
  await addRoutes(app)
  await app.ready()
  return (req, res) => app.routing(req, res)
}
