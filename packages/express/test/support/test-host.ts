import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AuthError } from '@jwt-auth/core'
import { listen as listenOn, shortenRefusalDelays } from '@jwt-auth/test-support'
import { createHttpClient, type Send } from '@jwt-auth/test-support/http-client'
import { createTestClock, type TestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { onTestFinished } from 'vitest'
import { type JwtAuth, type JwtAuthOptions, jwtAuth, type Middleware } from '../../src/index.js'
import { expectDocumented } from './expect-documented.js'
import type { Framework, Step } from './frameworks.js'
import { createGatedStorage, type GatedStorage } from './gated-storage.js'
import { createTestUsers, type TestUsers } from './test-users.js'

/** How the host of a test differs from the usual one. */
export interface HostSetup {
  readonly options?: Partial<JwtAuthOptions>
  /** Middleware of the application before ours. */
  readonly before?: readonly Middleware[]
  /** Where the application mounts ours. */
  readonly mountPath?: string
  /** Further routes of the application. */
  readonly routes?: (auth: JwtAuth) => readonly Step[]
  /** Shared by several instances of one service. */
  readonly storage?: GatedStorage
  readonly clock?: TestClock
}

/** A host that listens, with its own service, users and clock. */
export interface TestHost {
  readonly auth: JwtAuth
  readonly clock: TestClock
  readonly users: TestUsers
  readonly storage: GatedStorage
  /** What `onError` received. */
  readonly reports: readonly AuthError[]
  readonly port: number
  readonly send: Send
}

export const issuer = 'https://api.example.com'

/** The response of the application where no middleware responded. */
export const hostResponse = 'the response of the application'

// A single byte spreads `Retry-After`. In tests the header is always one second.
const drawBytes = (size: number): Buffer => (size === 1 ? Buffer.alloc(1) : randomBytes(size))

/** Starts a host. The host stops with the test. */
export const startHost = async (framework: Framework, setup: HostSetup = {}): Promise<TestHost> => {
  const { clock = createTestClock(), storage = createGatedStorage(), before = [], mountPath = '/' } = setup
  const users = createTestUsers()
  const reports: AuthError[] = []
  const auth = jwtAuth({
    purgeIntervalSeconds: false,
    secret: testSecret,
    issuer,
    users,
    storage: storage.port,
    onError: (error) => reports.push(error),
    ...withSystem({ now: clock.now, randomBytes: drawBytes, startTimer: shortenRefusalDelays }),
    callTimeoutMs: 60_000,
    ...setup.options,
  })
  const port = await listen(
    framework.createListener([
      ...before.map((run) => ({ path: '/', run })),
      { path: mountPath, run: auth },
      ...(setup.routes?.(auth) ?? []),
      { path: '/reports', run: auth.guard() },
      { path: '/reports', run: respondWithCaller(auth) },
      { path: '/', run: respondAsHost },
    ]),
  )
  return { auth, clock, users, storage, reports, port, send: createClient(port) }
}

/** Creates a client of a server on this machine. The OpenAPI document must describe every response of a route. */
export const createClient = (port: number): Send => {
  const { send } = createHttpClient(`http://127.0.0.1:${port}`)
  return async (method, path, message) => {
    const response = await send(method, path, message)
    expectDocumented(method, path, response)
    return response
  }
}

/** Starts a server on a free port. The server stops with the test. */
export const listen = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return listenOn(server)
}

/** A route that responds with the caller's user id; `null` for an anonymous request. */
export const respondWithCaller =
  (auth: JwtAuth): Middleware =>
  (req, res) => {
    res.end(JSON.stringify({ userId: auth.getOptionalAuth(req)?.userId ?? null }))
  }

const respondAsHost: Middleware = (_req, res) => {
  res.end(hostResponse)
}
