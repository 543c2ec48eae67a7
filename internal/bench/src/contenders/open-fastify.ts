import type { RequestListener } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'

/** Creates a Fastify app as a listener of a `node:http` server, like all other contenders. */
export const openFastify = async (
  addRoutes: (app: FastifyInstance) => void | Promise<void>,
): Promise<RequestListener> => {
  const app = fastify()
  await addRoutes(app)
  await app.ready()
  return (req, res) => app.routing(req, res)
}
