/** The program of a server: opens one contender and listens. */
import { createServer } from 'node:http'
import { listen, serveParent } from '@jwt-auth/test-support'
import { guards } from '../contenders/guards.js'
import { journeys } from '../contenders/journeys.js'
import { urlOf, type World } from '../world.js'

const functions = {
  /** Resolves to the URL. */
  open: async (name: string, world: World): Promise<string> => {
    const listener = await (guards[name]?.open(world) ?? journeys[name]?.open(urlOf(world, 'PostgreSQL')))
    // Long enough that no connection closes at the moment at which a client reuses it.
    return `http://127.0.0.1:${await listen(createServer({ keepAliveTimeout: 120_000 }, listener))}`
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
