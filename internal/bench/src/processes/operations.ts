/** The program that runs one contender's operation in its own process. */
import type { OpenedOperation, OperationContender } from '../contenders/operation-contender.js'
import type { World } from '../world/world.js'
import { importContender } from './import-contender.js'
import { serveOrders } from './serve-orders.js'

/** How to run an operation. */
export interface OperationLoad {
  readonly clients: number
  readonly seconds: number
  /** The least number of runs, however long they take. */
  readonly leastRuns: number
  /** A client reads the clock each time after this many runs: many when a run is short. */
  readonly runsBetweenLooks: number
}

/** The figures of an operation. */
export interface OperationFigures {
  readonly runs: number
  /** The wall time divided by the number of runs: with several clients, the inverse of the throughput. */
  readonly wallMicroseconds: number
  /** The CPU time of the process per run, including its threads. */
  readonly cpuMicroseconds: number
}

/** The orders of the program. */
export interface OperationOrders {
  /** Opens and checks a contender. Resolves to its title. */
  readonly open: (given: { readonly path: string; readonly world: World }) => Promise<string>
  readonly measure: (load: OperationLoad) => Promise<OperationFigures>
  /** Opens a contender, runs it once for each token, and resolves to the memory that it keeps. Needs `--expose-gc`. */
  readonly heap: (given: { readonly path: string; readonly world: World }) => Promise<HeapFigures>
}

/** The memory that an operation keeps. */
export interface HeapFigures {
  readonly title: string
  readonly bytes: number
}

let opened: OpenedOperation | undefined

const measure = async (operation: OpenedOperation, load: OperationLoad): Promise<OperationFigures> => {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const end = startedAt + load.seconds * 1000
  let runs = 0

  const act = async (client: number): Promise<void> => {
    let turn = client
    while (performance.now() < end || runs < load.leastRuns) {
      for (let run = 0; run < load.runsBetweenLooks; run += 1) {
        const pending = operation.run(client, turn)
        if (pending instanceof Promise) await pending
        turn += load.clients
      }
      runs += load.runsBetweenLooks
    }
  }

  await Promise.all(Array.from({ length: load.clients }, (_, client) => act(client)))
  const wallMicroseconds = ((performance.now() - startedAt) * 1000) / runs
  const { user, system } = process.cpuUsage(cpu)
  return { runs, wallMicroseconds, cpuMicroseconds: (user + system) / runs }
}

const readHeap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

serveOrders<OperationOrders>({
  heap: async ({ path, world }) => {
    const contender = await importContender<OperationContender>(path)
    const before = readHeap()
    opened = await contender.open(world)
    for (const turn of world.tokens.keys()) await opened.run(0, turn)
    return { title: contender.title, bytes: readHeap() - before }
  },
  open: async ({ path, world }) => {
    const contender = await importContender<OperationContender>(path)
    opened = await contender.open(world)
    await opened.check()
    return contender.title
  },
  measure: async (load) => {
    if (opened === undefined) throw new Error('No contender was opened.')
    return measure(opened, load)
  },
})
