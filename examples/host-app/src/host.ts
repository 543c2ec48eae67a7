import { randomBytes } from 'node:crypto'
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
  try {
    const auth = createAuth(stores, environment)
    const server = await listen(createApp(auth, stores, environment), environment)
    return {
      origin: server.origin,
      stop: async () => {
        const outcome = await server.stop()
        await auth.close()
        await stores.close()
        return outcome
      },
    }
  } catch (error) {
    await stores.close()
    throw error
  }
}

const createAuth = (stores: Stores, environment: HostEnvironment): JwtAuth => {
  try {
    return jwtAuth(toAuthOptions(stores, environment))
  } catch (error) {
    throw toStartError('JWT_AUTH_SECRET or ISSUER is invalid', error)
  }
}

/** Returns the options of `jwtAuth`. The command line of jwt-auth uses them too. */
export const toAuthOptions = ({ accounts, storage, limiter }: Stores, environment: HostEnvironment) => ({
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
  rateLimits: environment.rateLimit ? { limiter } : (false as const),
})

const listen = async (app: Express, { host, port }: HostEnvironment): Promise<RunningServer> => {
  try {
    return await startServer(app, host, port)
  } catch (error) {
    throw toStartError(`cannot listen on ${host}, port ${port} (HOST, PORT)`, error)
  }
}
