/** The program that runs one contender's operation in its own process. */
import { serveParent } from '@jwt-auth/test-support'
import type { OpenedOperation } from '../contenders/contender.js'
import { type OperationGroup, operations } from '../contenders/contenders.js'
import type { World } from '../world/world.js'

/** How to run an operation. */
export interface OperationLoad {
  readonly clients: number
  readonly seconds: number
  /** The least number of runs, however long they take. */
  readonly minRuns: number
  /** A client reads the clock each time after this many runs: many when a run is short. */
  readonly runsBetweenLooks: number
}

/** The figures of an operation. */
export interface OperationFigures {
  readonly runs: number
  /**
   * The wall time divided by the number of runs: with several clients, the inverse of the
   * throughput.
   */
  readonly wallMicroseconds: number
  /** The CPU time of the process per run, including its threads. */
  readonly cpuMicroseconds: number
}

let opened: OpenedOperation | undefined

const measure = async (operation: OpenedOperation, load: OperationLoad): Promise<OperationFigures> => {
  const cpu = process.cpuUsage()
  const startedAt = performance.now()
  const end = startedAt + load.seconds * 1000
  let runs = 0

  const act = async (client: number): Promise<void> => {
    let turn = client
    while (performance.now() < end || runs < load.minRuns) {
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

const functions = {
  /** Opens and checks a contender. Resolves to its title. */
  open: async (group: OperationGroup, name: string, world: World): Promise<string> => {
    const contender = Object.entries(operations[group]).find(([known]) => known === name)?.[1]
    if (contender === undefined) throw new Error(`${group} has no contender ${name}.`)
    opened = await contender.open(world)
    await opened.check()
    return contender.title
  },
  measure: async (load: OperationLoad): Promise<OperationFigures> => {
    if (opened === undefined) throw new Error('No contender was opened.')
    return measure(opened, load)
  },
}

/** The functions of the program. */
export type Operations = typeof functions

serveParent(functions)
