import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import {
  type Auth,
  type CookieOptions,
  hashPassword,
  type JwtAuthOptions,
  jwtAuth,
  passwordUsers,
} from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { listen, shortenRefusalDelays } from '@jwt-auth/test-support'
import { createTestClock, type TestClock, withSystem } from '@jwt-auth/test-support/test-clock'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import { onTestFinished } from 'vitest'
import type { AuthUser } from '../../src/index.js'

/** A request that arrived at the server. */
interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly authorization: string | undefined
  readonly transport: string | undefined
  /** The header `DPoP`. */
  readonly proof: string | undefined
  readonly body: string
}

/**
 * Runs in place of the server, which `proceed` continues. `proceed` resolves to what the server
 * would respond.
 */
export type Fault = (exchange: {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly proceed: () => unknown
}) => unknown

const passOn: Fault = ({ proceed }) => proceed()

/** A server with the routes of jwt-auth and some of an application. */
export interface TestServer {
  readonly origin: string
  readonly baseUrl: string
  /** Returns the number of active sessions of a user. */
  readonly countSessions: (user: AuthUser) => Promise<number>
  /** Returns whether each active session of a user is bound to a key. */
  readonly listBound: (user: AuthUser) => Promise<readonly boolean[]>
  /** Ends all sessions of a user. */
  readonly endSessions: (user: AuthUser) => Promise<unknown>
  readonly clock: TestClock
  readonly requests: readonly ReceivedRequest[]
  /** Returns the requests to a path, without the query. */
  readonly requestsTo: (path: string) => readonly ReceivedRequest[]
  /**
   * Runs the faults for the next requests to a path, one for each. `undefined` stands for no fault.
   */
  readonly plan: (path: string, ...faults: readonly (Fault | undefined)[]) => void
  /** Runs between each planned fault and the server. */
  readonly always: (step: Fault) => void
}

export const password = 'correct horse battery staple'
export const ada = { id: 7, email: 'ada@example.com', nicename: 'ada', displayName: 'Ada Lovelace' }
export const brian = { id: 8, email: 'brian@example.com', nicename: 'brian', displayName: 'Brian Kernighan' }

const passwordHash = await hashPassword(password, { cost: 4 })
const users = [
  { ...ada, username: 'ada', passwordHash },
  { ...brian, username: 'brian', passwordHash },
]

/** The paths of the routes. */
export const paths = {
  login: '/jwt-auth/v1/token',
  refresh: '/jwt-auth/v1/token/refresh',
  revoke: '/jwt-auth/v1/token/revoke',
}

/**
 * Starts a server. The server stops with the test. `cookies` and `dpop` are options of `jwtAuth`.
 */
export const startServer = async ({
  cookies = {},
  dpop,
  profile,
}: {
  readonly profile?: () => object
  readonly cookies?: CookieOptions | false
  readonly dpop?: Omit<NonNullable<JwtAuthOptions['dpop']>, 'publicUrls'>
} = {}): Promise<TestServer> => {
  const clock = createTestClock()
  const server = createServer()
  const origin = `http://127.0.0.1:${await listen(server)}`
  const requests: ReceivedRequest[] = []
  const faults = new Map<string, (Fault | undefined)[]>()
  let between: Fault = passOn
  const auth = jwtAuth({
    secret: testSecret,
    issuer: 'https://api.example.com',
    users: passwordUsers({
      findByUsername: async (username) => users.find((user) => user.username === username),
      findById: async (id) => users.find((user) => user.id === id),
      cost: 4,
    }),
    storage: memoryStorage({ quiet: true }),
    ...withSystem({ now: clock.now, startTimer: shortenRefusalDelays }),
    callTimeoutMs: 60_000,
    accessTokenLifetimeSeconds: 3_600,
    sessionRoutes: true,
    profile,
    ...(cookies && { cookies }),
    ...(dpop && { dpop: { ...dpop, publicUrls: [origin] } }),
  })
  /** Starts a session with the key of the request. */
  const startSession = async (req: IncomingMessage, res: ServerResponse, userId: number, former?: Auth) => {
    try {
      const dpopThumbprint = await auth.checkDpopProof(req)
      if (former) await auth.sessions.revokeAll(userId)
      auth.sendTokens(res, await auth.sessions.create(userId, { dpopThumbprint }))
    } catch (error) {
      auth.sendError(res, error)
    }
  }
  const respond = (req: IncomingMessage, res: ServerResponse): void =>
    auth(req, res, () => {
      const { pathname, searchParams } = new URL(req.url ?? '', 'http://localhost')
      if (pathname === '/open') return res.end('open')
      if (pathname === '/sign-up') return startSession(req, res, Number(searchParams.get('user')))
      if (pathname === '/refused') return res.writeHead(401).end('refused')
      if (pathname === '/redirect') return res.writeHead(307, { Location: searchParams.get('to') ?? '' }).end()
      const guard = pathname === '/payments' ? auth.guard({ maxAuthAgeSeconds: 60 }) : auth.guard()
      const changePassword = () => {
        const former = auth.getAuth(req)
        return startSession(req, res, former.userId, former)
      }
      if (pathname === '/password') return guard(req, res, changePassword)
      return guard(req, res, () => res.end(JSON.stringify({ userId: auth.getAuth(req).userId })))
    })

  server.on('request', async (req, res) => {
    const { pathname } = new URL(req.url ?? '', 'http://localhost')
    const body = await text(req)
    requests.push({
      method: req.method ?? '',
      url: req.url ?? '',
      authorization: req.headers.authorization,
      transport: String(req.headers['x-jwt-auth-transport'] ?? ''),
      proof: req.headers['dpop']?.toString(),
      body,
    })
    // The middleware accepts bodies that were read before.
    Object.assign(req, { body })
    const fault = faults.get(pathname)?.shift() ?? passOn
    fault({ req, res, proceed: () => between({ req, res, proceed: () => respond(req, res) }) })
  })
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await auth.close()
  })
  return {
    origin,
    baseUrl: `${origin}/jwt-auth/v1`,
    countSessions: async ({ id }) => (await auth.sessions.list(Number(id))).length,
    listBound: async ({ id }) => (await auth.sessions.list(Number(id))).map(({ isBound }) => isBound),
    endSessions: ({ id }) => auth.sessions.revokeAll(Number(id)),
    clock,
    requests,
    requestsTo: (path) => requests.filter(({ url }) => url.split('?')[0] === path),
    plan: (path, ...planned) => {
      faults.set(path, [...(faults.get(path) ?? []), ...planned])
    },
    always: (step) => {
      between = step
    },
  }
}

/** The cookie of one browser. Node's `fetch` has no cookies. */
export interface CookieJar {
  /** Returns the refresh token in the cookie. */
  readonly read: () => string | undefined
}

/**
 * Sends the cookie with each request, as a browser does for a page of the same origin, and keeps
 * what responses set.
 */
export const addCookieJar = (server: TestServer): CookieJar => {
  let cookie: string | undefined

  const useCookie: Fault = ({ req, res, proceed }) => {
    Object.assign(req.headers, { 'sec-fetch-site': 'same-origin', ...(cookie && { cookie }) })
    const end = res.end.bind(res)
    Object.assign(res, {
      end: (text: string) => {
        const [set] = [res.getHeader('Set-Cookie')].flat()
        if (set !== undefined) cookie = String(set).includes('; Max-Age=0;') ? undefined : String(set).split(';')[0]
        end(text)
      },
    })
    return proceed()
  }
  server.always(useCookie)
  return { read: () => cookie?.split('=')[1] }
}
