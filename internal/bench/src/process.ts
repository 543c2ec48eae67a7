/** The program of the bench: a server, an operation or a load, each in a process of its own. */
import { createServer, type RequestListener } from 'node:http'
import { Session } from 'node:inspector/promises'
import { listen, serveParent } from '@jwt-auth/test-support'
import { guards } from './contenders/guards.js'
import { journeys } from './contenders/journeys.js'
import { operations, type RunOperation } from './contenders/operations.js'
import { openBareService, openService } from './contenders/service.js'
import { runFlood } from './load/flood.js'
import { runClosedLoop, runFixedRate } from './load/guarded-requests.js'
import { runJourneys } from './load/journeys.js'
import { urlOf, type World } from './world.js'

/** How to run an operation. */
interface OperationLoad {
  readonly clients: number
  readonly seconds: number
  /** The least number of runs, however long they take. */
  readonly minRuns: number
}

const services: Readonly<Record<string, (world: World) => Promise<RequestListener>>> = {
  service: openService,
  'bare service': openBareService,
}

let run: RunOperation | undefined
const session = new Session()
const ownFolder = new URL('.', import.meta.url).href

const functions = {
  runClosedLoop,
  runFixedRate,
  runFlood,
  runJourneys,

  /** Opens a contender and listens. Resolves to the URL. */
  openServer: async (name: string, world: World): Promise<string> => {
    const listener = await (services[name]?.(world) ??
      guards[name]?.open(world) ??
      journeys[name]?.open(urlOf(world, 'PostgreSQL')))
    // Long enough that no connection closes at the moment at which a client reuses it.
    return `http://127.0.0.1:${await listen(createServer({ keepAliveTimeout: 120_000 }, listener))}`
  },

  /** Starts a profile of the CPU. */
  startProfile: async (): Promise<void> => {
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
  },

  /**
   * Ends the profile. Resolves to the share of this program in the CPU time, with the functions of
   * Node that it calls, without the packages that it imports.
   */
  endProfile: async (): Promise<number> => {
    const { profile } = await session.post('Profiler.stop')
    const called = new Set<number>()
    let [own, all] = [0, 0]
    for (const { id, callFrame, hitCount = 0, children = [] } of profile.nodes) {
      const { url, functionName } = callFrame
      const isOwn = url.startsWith(ownFolder) || (called.has(id) && !url.includes('node_modules'))
      if (isOwn) for (const child of children) called.add(child)
      if (isOwn) own += hitCount
      if (functionName !== '(idle)') all += hitCount
    }
    return own / all
  },

  /** Opens and checks the operation of a contender. */
  openOperation: async (group: string, name: string, world: World): Promise<void> => {
    run = await operations[group]?.[name]?.open(world)
  },

  /** Resolves to the number of runs, and to the milliseconds that all of them took. */
  runOperation: async ({ clients, seconds, minRuns }: OperationLoad) => {
    const startedAt = performance.now()
    let runs = 0
    const act = async (client: number): Promise<void> => {
      for (let turn = client; performance.now() < startedAt + seconds * 1_000 || runs < minRuns; turn += clients) {
        await run?.(turn)
        runs += 1
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, client) => act(client)))
    return { runs, milliseconds: performance.now() - startedAt }
  },
}

/** The functions of the program. */
export type BenchProcess = typeof functions

serveParent(functions)
