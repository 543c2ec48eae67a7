import { createServer, type RequestListener } from 'node:http'
import type { JwtAuth, Middleware } from '@jwt-auth/express'
import { listen as listenOn } from '@jwt-auth/test-support'

/** The framework of an instance. */
export type FrameworkName = 'express5' | 'express4' | 'node:http'

/** The path of the guarded route. It responds with its caller: `{ user_id, session_id }`. */
export const guardedPath = '/whoami'

/**
 * Creates a listener with the routes of `jwtAuth` and a guarded route, on a framework. `respond`
 * responds to all other requests.
 */
export const createInstanceListener = (
  auth: JwtAuth,
  framework: FrameworkName,
  respond: Middleware = respondWithNotFound,
): Promise<RequestListener> => listeners[framework](auth, respond)

const respondWithNotFound: Middleware = (_req, res) => {
  res.statusCode = 404
  res.end()
}

const respondWithCaller =
  (auth: JwtAuth): Middleware =>
  (req, res) => {
    const { userId, sessionId } = auth.getAuth(req)
    res.setHeader('Content-Type', 'application/json')
    res.end(JSON.stringify({ user_id: userId, session_id: sessionId }))
  }

// Each instance loads its own framework only. Loading a framework takes a fifth of the start.
const listeners: Readonly<Record<FrameworkName, (auth: JwtAuth, respond: Middleware) => Promise<RequestListener>>> = {
  express5: async (auth, respond) => {
    const { default: express } = await import('express')
    return express().use(auth).use(guardedPath, auth.guard(), respondWithCaller(auth)).use(respond)
  },
  express4: async (auth, respond) => {
    const { default: express } = await import('express4')
    return express().use(auth).use(guardedPath, auth.guard(), respondWithCaller(auth)).use(respond)
  },
  'node:http': async (auth, respond) => {
    const guard = auth.guard()
    return (req, res) =>
      auth(req, res, () => {
        if (req.url === guardedPath) guard(req, res, () => respondWithCaller(auth)(req, res, () => {}))
        else respond(req, res, () => {})
      })
  },
}

const longestIdleMs = 120_000

/**
 * Listens on a free port of 127.0.0.1. `stop` resets no connection: it accepts no new one, finishes
 * the requests in progress, and closes each connection after its last response.
 */
export const listen = async (listener: RequestListener) => {
  const server = createServer()
  // Long enough that the server never closes an idle connection at the moment at which a client
  // reuses it.
  server.keepAliveTimeout = longestIdleMs
  let isStopping = false
  server.on('request', (req, res) => {
    if (isStopping) res.setHeader('Connection', 'close')
    res.once('close', () => isStopping && server.closeIdleConnections())
    listener(req, res)
  })
  return {
    url: `http://127.0.0.1:${await listenOn(server)}`,
    stop: () => {
      isStopping = true
      return new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
