import type { SessionStorage } from '@jwt-auth/core'
import { knexStorage } from '@jwt-auth/storage-knex'
import { redisStorage } from '@jwt-auth/storage-redis'
import { connectTo } from '@jwt-auth/test-support'
import type { Knex } from 'knex'

/** A storage and its connections. */
export interface OpenedStorage {
  readonly storage: SessionStorage
  /**
   * Returns how many connections of the pool are in use, and how many callers wait for a connection or
   * for one that is being opened. All numbers are 0 on Redis.
   */
  readonly readPool: () => { readonly used: number; readonly pending: number }
  /**
   * Takes every connection of the pool for transactions of the application. Does nothing on Redis.
   */
  readonly occupyPool: () => Promise<void>
  /** Ends those transactions. */
  readonly freePool: () => Promise<void>
  /**
   * Starts a transaction on a connection of the pool, reads a snapshot, and gives the connection
   * back, as an application with a bug does. Does nothing on Redis.
   */
  readonly leakTransaction: () => Promise<void>
  readonly close: () => Promise<void>
}

/** The connection settings of a storage. */
export interface Connecting {
  /** The greatest number of connections to a database. */
  readonly poolSize: number
  /** The limit for opening a connection. */
  readonly connectTimeoutMs: number
}

// On a busy machine the first connection may take longer than `connectTimeoutMs`.
const mostTriesAtStart = 5
const longestReconnectMs = 200

/** Opens the storage at a URL and creates its tables. Rejects when the server cannot be reached. */
export const openStorage = (url: string, connecting: Connecting): Promise<OpenedStorage> =>
  url.startsWith('redis:') ? openRedis(new URL(url), connecting) : openDatabase(url, connecting)

const openDatabase = async (url: string, { poolSize, connectTimeoutMs }: Connecting): Promise<OpenedStorage> => {
  const pool = { min: 0, max: poolSize, createTimeoutMillis: connectTimeoutMs }
  const knex = connectTo(withConnectTimeout(url, connectTimeoutMs), pool)
  const storage = knexStorage(knex)
  await repeat(() => storage.migrate())
  let occupying: readonly Knex.Transaction[] = []
  return {
    storage,
    readPool: () => {
      const { pool } = knex.client
      return {
        used: pool.numUsed(),
        pending: pool.numPendingAcquires() + pool.numPendingCreates(),
      }
    },
    occupyPool: async () => {
      occupying = await Promise.all(Array.from({ length: knex.client.pool.max }, () => knex.transaction()))
    },
    freePool: async () => {
      await Promise.all(occupying.map((transaction) => transaction.rollback()))
      occupying = []
    },
    leakTransaction: async () => {
      const connection = await knex.client.acquireConnection()
      const isMysql = url.startsWith('mysql:')
      await knex.raw(isMysql ? 'begin' : 'begin isolation level repeatable read').connection(connection)
      await knex('jwt_auth_sessions').select('id').limit(1).connection(connection)
      await knex.client.releaseConnection(connection)
    },
    close: () => knex.destroy(),
  }
}

const repeat = async (connect: () => Promise<unknown>): Promise<void> => {
  for (let tries = 1; ; tries += 1) {
    try {
      await connect()
      return
    } catch (failure) {
      if (tries === mostTriesAtStart) throw failure
    }
  }
}

// At its own limit, the pool drops a connection without closing it. Each driver closes it at the
// driver's limit.
const withConnectTimeout = (text: string, connectTimeoutMs: number): string => {
  if (text.startsWith('sqlite:')) return text
  const url = new URL(text)
  url.searchParams.set(url.protocol === 'mysql:' ? 'connectTimeout' : 'connectionTimeoutMillis', `${connectTimeoutMs}`)
  return url.href
}

const openRedis = async (url: URL, { connectTimeoutMs }: Connecting): Promise<OpenedStorage> => {
  const prefix = url.searchParams.get('prefix') ?? undefined
  const clusterPorts = url.searchParams.get('cluster')?.split(',')
  url.search = ''
  const { createClientPool, createCluster } = await import('redis')
  const socket = {
    connectTimeout: connectTimeoutMs,
    reconnectStrategy: (retries: number) => Math.min(retries * 20, longestReconnectMs),
  }
  // The README of @jwt-auth/storage-redis has these settings.
  const pinging = { pingInterval: connectTimeoutMs, socket: { ...socket, socketTimeout: 2 * connectTimeoutMs } }
  const client =
    clusterPorts === undefined
      ? createClientPool({ url: url.href, ...pinging })
      : createCluster({
          rootNodes: clusterPorts.map((port) => ({ url: `redis://127.0.0.1:${port}` })),
          defaults: { socket },
        })
  // The calls reject. Without a listener the process would end.
  client.on('error', () => {})
  await repeat(() => client.connect())
  return {
    storage: redisStorage(client, { prefix }),
    readPool: () => ({ used: 0, pending: 0 }),
    occupyPool: async () => {},
    freePool: async () => {},
    leakTransaction: async () => {},
    close: async () => client.destroy(),
  }
}
