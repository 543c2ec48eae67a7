import { randomBytes } from 'node:crypto'
import { type JwtAuth, jwtAuth } from '@jwt-auth/express'
import { createApp } from './app.js'
import { explainFailure, type HostEnvironment } from './environment.js'
import { type RunningServer, startServer } from './running-server.js'
import { openStores, type Stores } from './stores.js'

/** Sets up the databases and starts the site. Throws a `StartError` when a database or the port is unavailable. */
export const startHost = async (environment: HostEnvironment) => {
  const { host, port } = environment
  const stores = await openStores(environment)
  let server: RunningServer | undefined
  let auth: JwtAuth | undefined
  const close = async () => {
    const outcome = (await server?.stop()) ?? 'finished'
    await auth?.close()
    await stores.close()
    return outcome
  }
  try {
    const step = `cannot listen on ${host}, port ${port} (HOST, PORT)`
    server = await explainFailure(step, () => startServer(host, port))
    // The proofs of browsers name the port, which the system may have selected.
    const options = toAuthOptions(stores, environment, server.origin)
    const service = await explainFailure('JWT_AUTH_SECRET or ISSUER is invalid', () => jwtAuth(options))
    auth = service
    const app = await explainFailure('TRUST_PROXY is invalid', () => createApp(service, stores.accounts, environment))
    server.serve(app)
    return {
      /** The scheme, host and port of its URL. */
      origin: server.origin,
      /** Waits for requests in flight, then closes the databases. Resolves to `'aborted'` when requests took too long. */
      stop: close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns the options of `jwtAuth`. The command line of jwt-auth uses them too. */
export const toAuthOptions = (stores: Stores, environment: HostEnvironment, origin = environment.issuer) => ({
  secret: environment.secret ?? randomBytes(48),
  issuer: environment.issuer,
  users: stores.accounts.users,
  storage: stores.storage,
  ...environment.lifetimes,
  cookies: true,
  sessionRoutes: true,
  dpop: {
    bind: 'refresh-tokens' as const,
    publicUrls: environment.publicUrls ?? [origin, origin.replace('127.0.0.1', 'localhost')],
  },
  rateLimits: environment.isRateLimited ? undefined : (false as const),
})
