import { randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import { text } from 'node:stream/consumers'
import type { AuthError } from '@jwt-auth/core'
import {
  type AuthenticationResult,
  hashPassword,
  type JwtAuth,
  jwtAuth,
  type Middleware,
  passwordUsers,
  type StoredUser,
} from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { withSystem } from '@jwt-auth/test-support/test-clock'
import { signToken } from '@jwt-auth/test-support/token-forger'
import type { FrameworkName } from '../cluster/instance/instance-server.js'
import { createInstanceListener, listen } from '../cluster/instance/instance-server.js'

/** The user. */
export const fuzzUser = { id: 7, username: 'ada', password: 'correct horse battery staple' } as const

/** The response of the application to requests that no other route has responded to. */
export const hostResponse = 'the response of the application'

// The lowest cost of bcrypt, since the hash is not fuzzed.
const cost = 4
const passwordHash = hashPassword(fuzzUser.password, { cost })

// A body has ten seconds to arrive. Here, one is enough.
const endSlowBodies = (delayMs: number, callback: () => void) => {
  const timer = setTimeout(callback, delayMs === 10_000 ? 1_000 : delayMs).unref()
  return () => clearTimeout(timer)
}

/** Wraps the listener of the server. A test plants defects there. */
export type WrapListener = (listener: RequestListener) => RequestListener

/** A service in this process with one user. */
export type FuzzHost = Awaited<ReturnType<typeof startFuzzHost>>

/**
 * Starts a service on a framework. Limits are off, since they would soon refuse all requests with
 * 429.
 */
export const startFuzzHost = async (framework: FrameworkName, wrap: WrapListener = (listener) => listener) => {
  const faults: AuthError[] = []
  const user: StoredUser = {
    id: fuzzUser.id,
    email: 'ada@example.com',
    nicename: fuzzUser.username,
    displayName: 'Ada Lovelace',
    passwordHash: await passwordHash,
  }
  const auth = jwtAuth({
    secret: randomBytes(32).toString('base64url'),
    issuer: 'https://fuzz.example',
    users: passwordUsers({
      findByUsername: async (name) => (name === fuzzUser.username ? user : undefined),
      findById: async (id) => (id === fuzzUser.id ? user : undefined),
      cost,
    }),
    storage: memoryStorage({ quiet: true }),
    rateLimits: false,
    ...withSystem({ startTimer: endSlowBodies }),
    onError: (error) => faults.push(error),
  })
  // Anyone can send a token of an unknown key. The service reports only the first one.
  await auth.verify(tokenOfUnknownKey).catch(() => {})
  faults.length = 0
  const { url, stop } = await listen(wrap(await createInstanceListener(auth, framework, respondAsHost(auth))))
  return {
    url: new URL(url),
    /** Opens a session of the user. */
    issue: () => auth.sessions.create(fuzzUser.id),
    verify: auth.verify,
    /** The errors that `onError` received. */
    faults,
    close: async (): Promise<void> => {
      await stop()
      await auth.close()
    },
  }
}

const tokenOfUnknownKey = signToken({ header: { alg: 'HS256', typ: 'at+jwt', kid: 'unknown' }, payload: {} })

/** The routes of the application's own, with the body as `JSON.parse` returns it. */
const ownRoutes: Readonly<
  Record<string, (auth: JwtAuth, req: IncomingMessage, body: never) => Promise<AuthenticationResult | string>>
> = {
  '/own/login': async (auth, req, body) => auth.login(req, body),
  '/own/refresh': async (auth, req, body) => auth.refresh(req, body?.['refresh_token']),
  '/own/logout': async (auth, req, body) => auth.logout(req, { refreshToken: body?.['refresh_token'] }),
}

const respondAsHost =
  (auth: JwtAuth): Middleware =>
  async (req, res) => {
    const run = req.method === 'POST' ? ownRoutes[req.url ?? ''] : undefined
    if (run === undefined) return void res.end(hostResponse)
    let body: unknown
    try {
      body = JSON.parse(await text(req))
    } catch {
      return void res.end(hostResponse)
    }
    try {
      // The client chooses the body.
      const result = await run(auth, req, body as never)
      if (typeof result === 'string') res.end(hostResponse)
      else auth.sendTokens(res, result)
    } catch (error) {
      auth.sendError(res, error)
    }
  }
