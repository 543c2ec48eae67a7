/** The program that runs one contender's operation in its own process. */
import { serveParent } from '@jwt-auth/test-support'
import type { OpenedOperation } from '../contenders/operation.js'
import { operations } from '../contenders/operations.js'
import type { World } from '../world.js'

/** How to run an operation. */
interface OperationLoad {
  readonly clients: number
  readonly seconds: number
  /** The least number of runs, however long they take. */
  readonly minRuns: number
}

let opened: OpenedOperation | undefined

const functions = {
  /** Opens and checks a contender. */
  open: async (group: string, name: string, world: World): Promise<void> => {
    opened = await operations[group]?.[name]?.open(world)
    await opened?.check()
  },
  /** Resolves to the milliseconds per run: with several clients, the inverse of the throughput. */
  measure: async ({ clients, seconds, minRuns }: OperationLoad): Promise<number> => {
    const startedAt = performance.now()
    let runs = 0
    const act = async (client: number): Promise<void> => {
      for (let turn = client; performance.now() < startedAt + seconds * 1_000 || runs < minRuns; turn += clients) {
        await opened?.run(turn)
        runs += 1
      }
    }
    await Promise.all(Array.from({ length: clients }, (_, client) => act(client)))
    return (performance.now() - startedAt) / runs
  },
}

/** The functions of the program. */
export type Operations = typeof functions

serveParent(functions)
