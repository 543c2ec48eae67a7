import { randomBytes } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { type JwtAuth, jwtAuth } from '@jwt-auth/express'
import type { Express } from 'express'
import { createApp } from './app.js'
import type { HostEnvironment } from './environment.js'
import { type RunningServer, startServer } from './running-server.js'
import { toStartError } from './start-error.js'
import { openStores, type Stores } from './stores.js'

/** The running example site. */
export interface Host {
  /** The scheme, host and port of its URL. */
  readonly origin: string
  /** Waits for requests in flight, then closes the databases. Resolves to `'aborted'` when requests took too long and were aborted. */
  readonly stop: () => Promise<'finished' | 'aborted'>
}

/** Sets up the databases and starts the site. Throws a `StartError` when a database or the port is unavailable. */
export const startHost = async (environment: HostEnvironment): Promise<Host> => {
  const stores = await openStores(environment)
  let app: Express | undefined
  let server: RunningServer | undefined
  try {
    // The proofs of browsers name the port, which the system may select.
    const listening = await listen((req, res) => app?.(req, res), environment)
    server = listening
    const auth = createAuth(stores, environment, server.origin)
    app = createApp(auth, stores, environment)
    return {
      origin: server.origin,
      stop: async () => {
        const outcome = await listening.stop()
        await auth.close()
        await stores.close()
        return outcome
      },
    }
  } catch (error) {
    await server?.stop()
    await stores.close()
    throw error
  }
}

const createAuth = (stores: Stores, environment: HostEnvironment, origin: string): JwtAuth => {
  try {
    return jwtAuth(toAuthOptions(stores, environment, origin))
  } catch (error) {
    throw toStartError('JWT_AUTH_SECRET or ISSUER is invalid', error)
  }
}

/** Returns the options of `jwtAuth`. The command line of jwt-auth uses them too. */
export const toAuthOptions = (
  { accounts, storage, limiter }: Stores,
  environment: HostEnvironment,
  origin = environment.issuer,
) => ({
  secret: environment.secret ?? randomBytes(48),
  issuer: environment.issuer,
  users: accounts.users,
  storage,
  accessTokenLifetimeSeconds: environment.accessTokenLifetimeSeconds,
  sessionIdleTimeoutSeconds: environment.sessionIdleTimeoutSeconds,
  sessionAbsoluteTimeoutSeconds: environment.sessionAbsoluteTimeoutSeconds,
  refreshGraceSeconds: environment.refreshGraceSeconds,
  cookies: {},
  sessionRoutes: true,
  dpop: {
    bind: 'refresh-tokens' as const,
    publicUrls: environment.publicUrls ?? [origin, origin.replace('127.0.0.1', 'localhost')],
  },
  rateLimits: environment.rateLimit ? { limiter } : (false as const),
})

const listen = async (app: RequestListener, { host, port }: HostEnvironment): Promise<RunningServer> => {
  try {
    return await startServer(app, host, port)
  } catch (error) {
    throw toStartError(`cannot listen on ${host}, port ${port} (HOST, PORT)`, error)
  }
}
