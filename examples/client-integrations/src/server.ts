import { randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hashPassword, type JwtAuthOptions, jwtAuth, passwordUsers } from '@jwt-auth/express'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { acceptSockets } from './socket-server.js'

interface ServerOptions {
  readonly port?: number
  /** The clock. @default the clock of the machine */
  readonly system?: JwtAuthOptions['system']
  /** The bcrypt cost. @default the default of jwt-auth */
  readonly cost?: number
  /** Serves the pages of the application. */
  readonly servePage: RequestListener
}

const user = { id: 1, username: 'ada', email: 'ada@example.com', displayName: 'Ada Lovelace' }

/** Starts the server of all examples: pages, logins, and reports for users who are logged in. */
export const startServer = async ({ port = 0, servePage, system, cost }: ServerOptions) => {
  const users = [{ ...user, passwordHash: await hashPassword('correct horse battery staple', { cost }) }]
  const auth = jwtAuth({
    secret: randomBytes(32),
    issuer: 'https://api.example.com',
    users: passwordUsers({
      findByUsername: async (username) => users.find((one) => one.username === username),
      findById: async (id) => users.find((one) => one.id === id),
      cost,
    }),
    storage: memoryStorage(),
    system,
  })
  const guard = auth.guard()

  const server = createServer((req, res) =>
    auth(req, res, () => {
      const report = /^\/reports\/([a-z]+)$/.exec(req.url ?? '')?.[1]
      if (report === undefined) return servePage(req, res)
      guard(req, res, () => {
        res.setHeader('Content-Type', 'application/json')
        res.end(JSON.stringify({ title: `Report of ${report} for user ${auth.getAuth(req).userId}` }))
      })
    }),
  )
  const sockets = acceptSockets(server, auth)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    // The server listens on a port.
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    auth,
    close: async () => {
      await sockets.close()
      await auth.close()
    },
  }
}
