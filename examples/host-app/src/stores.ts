import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { knexStorage } from '@jwt-auth/storage-knex'
import { sqliteConfig } from '@jwt-auth/storage-knex/libsql'
import { memoryStorage } from '@jwt-auth/storage-memory'
import { redisStorage } from '@jwt-auth/storage-redis'
import knex, { type Knex } from 'knex'
import { createClient } from 'redis'
import { createAccounts } from './accounts.js'
import { explainFailure, type HostEnvironment, isRedisUrl } from './environment.js'

/** The stores of users and sessions. */
export type Stores = Awaited<ReturnType<typeof openStores>>

const connectTimeoutMs = 5_000

/** Opens the databases and creates the tables. Throws a `StartError` that names `DATABASE_URL`. */
export const openStores = async ({ usersUrl, sessionsUrl, bcryptCost }: HostEnvironment) => {
  const toStep = (url: string) => `cannot use the database ${withoutPassword(url)} (DATABASE_URL)`
  const database = await explainFailure(toStep(usersUrl), () => openDatabase(usersUrl))
  try {
    const accounts = createAccounts(database, bcryptCost)
    await explainFailure(toStep(usersUrl), accounts.setUp)
    const sessions = await explainFailure(toStep(sessionsUrl), () => openSessions(sessionsUrl, database))
    return {
      accounts,
      ...sessions,
      close: async () => {
        sessions.close()
        await database.destroy()
      },
    }
  } catch (error) {
    await database.destroy()
    throw error
  }
}

/** Returns the lines that name the databases of users and sessions. */
export const describeStores = ({ usersUrl, sessionsUrl }: HostEnvironment): string =>
  usersUrl === sessionsUrl
    ? `users and sessions: ${withoutPassword(sessionsUrl)}`
    : `sessions: ${withoutPassword(sessionsUrl)}\nusers: ${usersUrl}`

/** Returns a database URL for messages: without the password and the query. */
const withoutPassword = (url: string): string => {
  if (!url.includes('://')) return url
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}

const openDatabase = (url: string): Knex => {
  // The caller receives the failure of a connection. knex would print it in addition.
  const log = { warn: () => {} }
  if (/^(memory|sqlite):/.test(url)) {
    const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : ':memory:'
    if (file !== ':memory:') mkdirSync(dirname(file), { recursive: true })
    return knex({ ...sqliteConfig(file), log })
  }
  return knex({
    client: url.startsWith('mysql:') ? 'mysql2' : 'pg',
    connection: url,
    pool: { min: 0, max: 10, createTimeoutMillis: connectTimeoutMs },
    acquireConnectionTimeout: connectTimeoutMs,
    log,
    // knex would write bound values into its error messages.
    compileSqlOnError: false,
  })
}

/** Opens the sessions, and what the command line of jwt-auth reads the settings of the database with. */
const openSessions = async (url: string, database: Knex) => {
  if (isRedisUrl(url)) return openRedis(url)
  const close = () => {}
  if (url === 'memory:') return { storage: memoryStorage(), inspection: {}, close }
  const storage = knexStorage(database)
  await storage.migrate()
  return { storage, inspection: { runSql: (sql: string) => database.raw(sql) }, close }
}

const openRedis = async (url: string) => {
  let isConnected = false
  const client = createClient({
    url,
    // Without a connection, requests fail with 503 immediately instead of waiting for the next connection.
    disableOfflineQueue: true,
    socket: {
      connectTimeout: connectTimeoutMs,
      reconnectStrategy: (retries) => isConnected && Math.min(100 * 2 ** retries, 2_000),
    },
  })
  // Without a listener, an error of the client would end the process. jwt-auth logs the failures of the requests.
  client.on('error', () => {})
  const storage = redisStorage(client)
  const late = once(AbortSignal.timeout(connectTimeoutMs), 'abort').then(() => Promise.reject(new Error('no response')))
  try {
    await Promise.race([client.connect().then(() => storage.migrate()), late])
  } catch (error) {
    if (client.isOpen) client.destroy()
    throw error
  }
  isConnected = true
  const inspection = { runRedis: (args: string[]) => client.sendCommand(args) }
  return { storage, inspection, close: () => client.destroy() }
}
