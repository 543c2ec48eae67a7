import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthError } from '@jwt-auth/core'
import { shortenRefusalDelays } from '@jwt-auth/test-support'
import { onTestFinished } from 'vitest'
import { getOptionalAuth, type JwtAuth, type JwtAuthOptions, jwtAuth, type Middleware } from '../../src/index.js'
import { type BreakableStorage, breakableStorage } from './breakable-storage.js'
import { type Clock, createClock } from './clock.js'
import { testSecret } from './forge-token.js'
import type { Framework, Step } from './frameworks.js'
import { createClient, type Send } from './http-client.js'
import { createTestUsers, type TestUsers } from './test-users.js'

/** What a test wants otherwise than usual. */
export interface HostSetup {
  readonly options?: Partial<JwtAuthOptions>
  /** The host's middleware in front of ours. */
  readonly before?: readonly Middleware[]
  /** Where the host mounts ours. */
  readonly mountPath?: string
  /** Further routes of the host. */
  readonly routes?: (auth: JwtAuth) => readonly Step[]
  /** Shared by several instances of one service. */
  readonly storage?: BreakableStorage
  readonly clock?: Clock
}

/** A listening host with a service, users and time of its own. */
export interface TestHost {
  readonly auth: JwtAuth
  readonly clock: Clock
  readonly users: TestUsers
  readonly storage: BreakableStorage
  /** What `onError` heard. */
  readonly reports: readonly AuthError[]
  readonly port: number
  readonly send: Send
}

export const issuer = 'https://api.example.com'

/** What the host answers where nobody answered before. */
export const hostAnswer = 'the host answers'

// A single byte spreads `Retry-After`: here it is always one second.
const drawBytes = (size: number): Buffer => (size === 1 ? Buffer.alloc(1) : randomBytes(size))

/** Starts a host; it stops with the test. */
export const startHost = async (framework: Framework, setup: HostSetup = {}): Promise<TestHost> => {
  const { clock = createClock(), storage = breakableStorage(), before = [], mountPath = '/' } = setup
  const users = createTestUsers()
  const reports: AuthError[] = []
  const auth = jwtAuth({
    secret: testSecret,
    issuer,
    users,
    storage,
    onError: (error) => reports.push(error),
    system: { now: clock.now, randomBytes: drawBytes, startTimer: shortenRefusalDelays },
    storageTimeoutMs: 60_000,
    ...setup.options,
  })
  const port = await listen(
    framework.createListener([
      ...before.map((run) => ({ path: '/', run })),
      { path: mountPath, run: auth },
      ...(setup.routes?.(auth) ?? []),
      { path: '/reports', run: auth.guard() },
      { path: '/reports', run: answerWithCaller },
      { path: '/', run: answerAsHost },
    ]),
  )
  return { auth, clock, users, storage, reports, port, send: createClient(port) }
}

/** Starts a server on a free port; it stops with the test. */
export const listen = async (listener: RequestListener): Promise<number> => {
  const server = createServer(listener)
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return readPort(server.address())
}

const readPort = (address: AddressInfo | string | null): number => {
  if (typeof address === 'object' && address !== null) return address.port
  throw new Error('The server has no port.')
}

/** A host route that says whom it takes the caller for; `null` is a stranger. */
export const answerWithCaller: Middleware = (req, res) => {
  res.end(JSON.stringify({ userId: getOptionalAuth(req)?.userId ?? null }))
}

const answerAsHost: Middleware = (_req, res) => {
  res.end(hostAnswer)
}
