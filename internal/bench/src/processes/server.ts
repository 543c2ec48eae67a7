/** The program of a server: opens one contender and listens. */
import { serveParent } from '@jwt-auth/test-support'
import type { ServerContender } from '../contenders/contender.js'
import { guards } from '../contenders/guards.js'
import type { World } from '../world/world.js'
import { listen } from './listen.js'

/** A server that listens, and the tokens for it. */
export interface ListeningServer extends Pick<ServerContender, 'title' | 'checks'> {
  readonly url: string
  readonly tokens: readonly string[]
  readonly revokedToken: string
}

const functions = {
  open: async (name: string, world: World): Promise<ListeningServer> => {
    const guard = guards[name]
    if (guard === undefined) throw new Error(`No guard has the name ${name}.`)
    const { listener, own = world } = await guard.open(world)
    const { tokens, revokedToken } = own
    const { title, checks } = guard
    return { title, checks, url: await listen(listener), tokens, revokedToken }
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
