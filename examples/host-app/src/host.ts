import { randomBytes } from 'node:crypto'
import { type JwtAuth, jwtAuth, type SessionStorage } from '@jwt-auth/express'
import { knexStorage } from '@jwt-auth/storage-knex'
import { memoryStorage } from '@jwt-auth/storage-memory'
import type { Express } from 'express'
import type { Knex } from 'knex'
import { type Accounts, createAccounts } from './accounts.js'
import { createApp } from './app.js'
import { openDatabase, withoutPassword } from './database.js'
import type { HostEnvironment } from './environment.js'
import { type RunningServer, startServer } from './running-server.js'
import { type StartError, toStartError } from './start-error.js'

/** The host app, listening. */
export interface Host {
  /** Scheme, host and port. */
  readonly origin: string
  /** Lets requests in flight finish, then closes the database. */
  readonly stop: () => Promise<void>
}

/** Sets the database up and starts the site. Throws a `StartError` when the database or the port is not to be had. */
export const startHost = async (environment: HostEnvironment): Promise<Host> => {
  const knex = open(environment)
  try {
    const accounts = createAccounts(knex, environment.bcryptCost)
    const storage = await setUp(knex, accounts, environment)
    const auth = createAuth(accounts, storage, environment)
    const server = await listen(createApp(auth, accounts, environment.basePath), environment)
    return {
      origin: server.origin,
      stop: async () => {
        await server.stop()
        await auth.close()
        await knex.destroy()
      },
    }
  } catch (error) {
    await knex.destroy()
    throw error
  }
}

const createAuth = (accounts: Accounts, storage: SessionStorage, environment: HostEnvironment): JwtAuth => {
  try {
    return jwtAuth({
      secret: environment.secret ?? randomBytes(48),
      issuer: environment.issuer,
      users: accounts.users,
      storage,
      accessTokenSeconds: environment.accessTokenSeconds,
      sessionIdleSeconds: environment.sessionIdleSeconds,
      sessionMaxSeconds: environment.sessionMaxSeconds,
      refreshGraceSeconds: environment.refreshGraceSeconds,
      rateLimits: environment.rateLimit ? undefined : false,
    })
  } catch (error) {
    throw toStartError('JWT_AUTH_SECRET or ISSUER is refused', error)
  }
}

const open = ({ databaseUrl }: HostEnvironment): Knex => {
  try {
    return openDatabase(databaseUrl)
  } catch (error) {
    throw unusableDatabase(databaseUrl, error)
  }
}

const setUp = async (knex: Knex, accounts: Accounts, { databaseUrl }: HostEnvironment): Promise<SessionStorage> => {
  try {
    await accounts.setUp()
    if (databaseUrl === 'memory:') return memoryStorage()
    const storage = knexStorage(knex)
    await storage.migrate()
    return storage
  } catch (error) {
    throw unusableDatabase(databaseUrl, error)
  }
}

const unusableDatabase = (url: string, cause: unknown): StartError =>
  toStartError(`can't use the database ${withoutPassword(url)} (DATABASE_URL)`, cause)

const listen = async (app: Express, { host, port }: HostEnvironment): Promise<RunningServer> => {
  try {
    return await startServer(app, host, port)
  } catch (error) {
    throw toStartError(`can't listen on ${host}, port ${port} (HOST, PORT)`, error)
  }
}
