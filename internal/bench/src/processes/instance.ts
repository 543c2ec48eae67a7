/** The program of an instance: the routes of a service and a guarded route, on a shared store. */
import { readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { type JwtAuthOptions, jwtAuth, type UserDirectory } from '@jwt-auth/express'
import { knexLimits, knexStorage } from '@jwt-auth/storage-knex'
import { redisLimits, redisStorage } from '@jwt-auth/storage-redis'
import { connectTo, serveParent } from '@jwt-auth/test-support'
import express from 'express'
import { createClient, createCluster } from 'redis'
import { journeys } from '../contenders/journeys.js'
import { sampleUsers } from '../world/sample-user.js'
import type { Counts } from '../world/shared-stores.js'
import { poolSize } from '../world/stores.js'
import { listen } from './listen.js'

// Only the drivers of the store open connections in this process.
const sockets: Socket[] = []
Socket.prototype.connect = new Proxy(Socket.prototype.connect, {
  apply: (connect, socket, args) => {
    sockets.push(socket)
    return Reflect.apply(connect, socket, args)
  },
})

const counts = { lookups: 0, batches: 0, statements: 0 }

const openStore = async (urls: readonly string[]) => {
  const [url = ''] = urls
  if (url.startsWith('redis:')) {
    const client = urls.length > 1 ? createCluster({ rootNodes: urls.map((url) => ({ url })) }) : createClient({ url })
    await client.connect()
    return { storage: redisStorage(client), limiter: redisLimits(client) }
  }
  const knex = connectTo(url, { min: poolSize, max: poolSize })
  knex.on('query', () => {
    counts.statements += 1
  })
  return { storage: knexStorage(knex), limiter: knexLimits(knex) }
}

const countBatches = (storage: JwtAuthOptions['storage']): JwtAuthOptions['storage'] => ({
  ...storage,
  findByIds: (ids, options) => {
    counts.batches += 1
    counts.lookups += ids.length
    return storage.findByIds(ids, options)
  },
})

// Checks no hash, so that the limits and the store dominate the cost of a login.
const users: UserDirectory = {
  ...sampleUsers,
  findByUsername: async (name) => sampleUsers.findById(Number(name.replace('user-', ''))),
  verifyPassword: async () => true,
}

const functions = {
  open: async (secret: string, urls: readonly string[], contender?: string): Promise<string> => {
    const journey = contender === undefined ? undefined : journeys[contender]
    if (journey !== undefined) return listen(await journey.open(urls.join()))
    const { storage, limiter } = await openStore(urls)
    await storage.migrate()
    const auth = jwtAuth({
      secret,
      issuer: 'https://bench.example',
      users,
      storage: countBatches(storage),
      rateLimits: { limiter },
      storageTimeoutMs: 30_000,
      clientAddress: (req) => String(req.headers['x-forwarded-for']),
    })
    const app = express()
    app.use(auth)
    app.get('/', auth.guard(), (_req, res) => {
      res.json({ received: true })
    })
    return listen(app)
  },
  /**
   * Returns what the process has sent to the store so far: the sessions that guards looked up, the
   * batches in which they did, SQL statements, bytes in both directions, and bytes written to files.
   */
  read: (): Counts => ({
    ...counts,
    bytes: sockets.reduce((sum, { bytesRead, bytesWritten }) => sum + bytesRead + bytesWritten, 0),
    loggedBytes: Number(/^write_bytes: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]),
    connections: sockets.filter(({ destroyed }) => !destroyed).length,
    residentBytes: process.memoryUsage.rss(),
  }),
}

/** The functions of the program. */
export type Instance = typeof functions

serveParent(functions)
