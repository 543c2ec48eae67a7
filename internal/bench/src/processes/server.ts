/** The program of a server: opens one contender and listens. */
import { createServer, type RequestListener } from 'node:http'
import type { ServerContender } from '../contenders/server-contender.js'
import type { World } from '../world/world.js'
import { importContender } from './import-contender.js'
import { serveOrders } from './serve-orders.js'

/** A server that listens, and the tokens for it. */
export interface ListeningServer extends Pick<ServerContender, 'title' | 'checks'> {
  readonly url: string
  readonly tokens: readonly string[]
  readonly revokedToken: string
}

/** The orders of a server. */
export interface ServerOrders {
  readonly open: (given: { readonly path: string; readonly world: World }) => Promise<ListeningServer>
  /** Resolves to the CPU time of the process so far, including its threads, in microseconds. */
  readonly cpu: (nothing: undefined) => Promise<number>
}

const listen = async (listener: RequestListener): Promise<string> => {
  // Long enough for any burst, since the bench does not measure the listen queue.
  const server = createServer(listener)
  await new Promise<void>((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return `http://127.0.0.1:${address.port}`
}

serveOrders<ServerOrders>({
  open: async ({ path, world }) => {
    const { title, checks, open } = await importContender<ServerContender>(path)
    const { listener, own = world } = await open(world)
    const { tokens, revokedToken } = own
    return { title, checks, url: await listen(listener), tokens, revokedToken }
  },
  cpu: async () => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
})
