import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hashPassword, jwtAuth, passwordUsers } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { acceptSockets } from './socket-server.js'

interface ServerOptions {
  /** Further options of the service. */
  readonly options?: object
  /** The bcrypt cost. @default the default of jwt-auth */
  readonly cost?: number
  /** Which tokens are bound to the key of a client with `dpop()`. @default 'refresh-tokens' */
  readonly bind?: 'refresh-tokens' | 'all-tokens' | undefined
  /** Serves the pages of the application. */
  readonly servePage: RequestListener
}

const user = { id: 1, username: 'ada', email: 'ada@example.com', displayName: 'Ada Lovelace' }

/** Starts the server of all examples: pages, logins, and reports for users who are logged in. */
export const startServer = async ({ servePage, options, cost, bind = 'refresh-tokens' }: ServerOptions) => {
  const users = [{ ...user, passwordHash: await hashPassword('correct horse battery staple', { cost }) }]
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // The server listens on a port.
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const auth = jwtAuth({
    secret: randomBytes(32),
    issuer: 'https://api.example.com',
    users: passwordUsers({
      findByUsername: async (username) => users.find((one) => one.username === username),
      findById: async (id) => users.find((one) => one.id === id),
      cost,
    }),
    storage: memoryStorage(),
    dpop: { bind, publicUrls: [origin] },
    ...options,
  })
  const guard = auth.guard()

  server.on('request', (req, res) =>
    auth(req, res, () => {
      const report = /^\/reports\/([a-z]+)$/.exec(req.url ?? '')?.[1]
      if (report === undefined) return servePage(req, res)
      guard(req, res, () => {
        res
          .setHeader('Content-Type', 'application/json')
          .end(JSON.stringify({ title: `Report of ${report} for user ${auth.getAuth(req).userId}` }))
      })
    }),
  )
  const sockets = acceptSockets(server, auth)
  return {
    origin,
    server,
    auth,
    close: () => sockets.close().then(auth.close),
  }
}
