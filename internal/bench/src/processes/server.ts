/** The program of a server: opens one contender and listens. */
import { createServer, type RequestListener } from 'node:http'
import { serveParent } from '@jwt-auth/test-support'
import type { ServerContender } from '../contenders/contender.js'
import { guards } from '../contenders/guards.js'
import type { World } from '../world/world.js'

/** A server that listens, and the tokens for it. */
export interface ListeningServer extends Pick<ServerContender, 'title' | 'checks'> {
  readonly url: string
  readonly tokens: readonly string[]
  readonly revokedToken: string
}

const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  await new Promise<void>((resolve) => {
    // Long enough for any burst, since the bench does not measure the listen queue.
    server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('A TCP server has a port.')
  return `http://127.0.0.1:${address.port}`
}

const functions = {
  open: async (name: string, world: World): Promise<ListeningServer> => {
    const guard = guards[name]
    if (guard === undefined) throw new Error(`No guard has the name ${name}.`)
    const { listener, own = world } = await guard.open(world)
    const { tokens, revokedToken } = own
    return { title: guard.title, checks: guard.checks, url: await listen(listener), tokens, revokedToken }
  },
  /** Returns the CPU time of the process so far, including its threads, in microseconds. */
  readCpu: (): number => {
    const { user, system } = process.cpuUsage()
    return user + system
  },
}

/** The functions of the program. */
export type Server = typeof functions

serveParent(functions)
