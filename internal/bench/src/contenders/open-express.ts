import type { RequestListener } from 'node:http'
import express, { type ErrorRequestHandler, type RequestHandler } from 'express'

const send: RequestHandler = (_req, res) => {
  res.json({ received: true })
}

// Other libraries pass a refusal on as an error with a status.
const refuse: ErrorRequestHandler = (error, _req, res, _next) => {
  res.status(error.status ?? 500).json({ error: error.message })
}

/** Creates an Express app with one route behind middleware. */
export const openExpress = (...guards: readonly RequestHandler[]): RequestListener => {
  const app = express()
  app.get('/', ...guards, send)
  app.use(refuse)
  return app
}
