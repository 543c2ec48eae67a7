import type { RequestListener } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'

/** What every guarded route answers. */
export const answer = { answered: true }

const send: RequestHandler = (_req, res) => {
  res.json(answer)
}

// Peers hand a refusal on as an error with a status.
const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ error: error.message })
}

/** An Express app with one route, behind the given middleware. */
export const openExpress = (...guards: readonly RequestHandler[]): RequestListener => {
  const app = express()
  app.get('/', ...guards, send)
  app.use(refuse)
  return app
}
