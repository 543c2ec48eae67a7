import { type FreshDatabase, findDatabases, type Prerequisite } from '@jwt-auth/test-support'
import { parseEnvironment } from '../../src/environment.js'
import { startHost } from '../../src/host.js'
import { createClient, type Send } from './client.js'

/** A kind of database that the host app supports. */
export interface DatabaseKind extends Prerequisite {
  readonly createDatabase: () => Promise<Pick<FreshDatabase, 'url' | 'drop'>>
}

const keepingNothing = (url: string): DatabaseKind => ({
  name: url,
  createDatabase: async () => ({ url, drop: async () => {} }),
})

/** The fastest kind, for tests that do not depend on the database. */
export const inMemory = keepingNothing('memory:')

/** A SQLite file. */
export const inFile: DatabaseKind = {
  name: 'SQLite',
  createDatabase: async () => {
    const [sqlite] = await findDatabases()
    return sqlite.createDatabase()
  },
}

/** The host app, listening in this process. */
export interface Site {
  readonly origin: string
  /** Sends below the base path. */
  readonly send: Send
  /** Resolves to whether requests were cut because they took too long. */
  readonly stop: () => Promise<'finished' | 'aborted'>
}

/** Environment variables of the host app. */
export type Variables = Readonly<Record<string, string>>

/** The variables of every site and process of these tests, unless a test sets others. */
export const testVariables = {
  PORT: '0',
  DATABASE_URL: 'sqlite::memory:',
  JWT_AUTH_SECRET: 'Zx3vQ9tLr0kWb7NdYp5sHc1mJf8uGa2eTi6oKx4vRq0w',
  // The lowest cost of bcrypt keeps the tests fast.
  BCRYPT_COST: '4',
  // All requests come from one address.
  RATE_LIMIT: 'off',
} as const

/** Starts a site on a new database, for several tests; `stop` drops the database too. */
export const openSite = async ({ createDatabase }: DatabaseKind, variables?: Variables): Promise<Site> => {
  const { url, drop } = await createDatabase()
  const site = await openSiteOn(url, variables)
  const stop: Site['stop'] = async () => {
    const outcome = await site.stop()
    await drop()
    return outcome
  }
  return { ...site, stop }
}

/** Starts a site on an existing database. */
export const openSiteOn = async (databaseUrl: string, variables: Variables = {}): Promise<Site> => {
  const environment = parseEnvironment({ ...testVariables, DATABASE_URL: databaseUrl, ...variables })
  const host = await startHost(environment)
  let stopped: ReturnType<Site['stop']> | undefined
  const stop: Site['stop'] = () => {
    stopped ??= host.stop()
    return stopped
  }
  return { origin: host.origin, send: createClient(host.origin + environment.basePath), stop }
}
