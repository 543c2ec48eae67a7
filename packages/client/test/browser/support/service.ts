import { createServer, type Server } from 'node:http'
import type { Server as HttpsServer } from 'node:https'
import { type AuthEvent, hashPassword, type JwtAuthOptions, jwtAuth, passwordUsers } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { listen } from '@jwt-auth/test-support'
import { withSystem } from '@jwt-auth/test-support/test-clock'
import { testSecret } from '@jwt-auth/test-support/token-forger'
import cors, { type CorsOptions } from 'cors'
import express from 'express'

/** An application with the routes of jwt-auth and the guarded route `/reports`. */
export interface Service {
  readonly port: number
  /** What happened so far. */
  readonly events: readonly AuthEvent[]
  /** Returns the number of active sessions of a user. */
  readonly countSessions: (username: string) => Promise<number>
  readonly close: () => Promise<void>
}

export interface ServiceSetup {
  readonly now?: (() => number) | undefined
  readonly cookies?: JwtAuthOptions['cookies']
  readonly cors?: CorsOptions | undefined
  readonly dpop?: JwtAuthOptions['dpop']
}

export const password = 'correct horse battery staple'
export const lifetimeSeconds = 3_600

const passwordHash = await hashPassword(password, { cost: 4 })
const users = ['ada', 'brian', 'mallory'].map((username, place) => ({
  id: place + 1,
  username,
  email: `${username}@example.com`,
  displayName: username,
  passwordHash,
}))

/** Starts a service. The caller must close it. */
export const startService = async ({
  now = Date.now,
  cookies,
  cors: corsOptions,
  dpop,
}: ServiceSetup): Promise<Service> => {
  const events: AuthEvent[] = []
  const auth = jwtAuth({
    secret: testSecret,
    issuer: 'https://api.example.test',
    users: passwordUsers({
      findByUsername: async (username) => users.find((user) => user.username === username),
      findById: async (id) => users.find((user) => user.id === id),
      cost: 4,
    }),
    storage: memoryStorage({ quiet: true }),
    ...withSystem({ now }),
    accessTokenLifetimeSeconds: lifetimeSeconds,
    onEvent: (event) => events.push(event),
    // Attacks are reported: nothing of them belongs into the output of the tests.
    onError: () => {},
    cookies,
    dpop,
  })
  const app = express()
  if (corsOptions) app.use(cors(corsOptions))
  app.use(auth)
  app.get('/reports', auth.guard(), (req, res) => {
    res.json({ userId: auth.getAuth(req).userId })
  })
  const server = createServer(app)
  return {
    port: await listen(server),
    events,
    countSessions: async (username) => {
      const user = users.find((one) => one.username === username)
      return user ? (await auth.sessions.list(user.id)).length : 0
    },
    close: async () => {
      await stop(server)
      await auth.close()
    },
  }
}

/** Stops a server and ends its connections. */
export const stop = (server: Server | HttpsServer): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
