import type { LoadResult } from '../load/load-result.js'
import type { LoadOrders } from '../processes/load.js'
import type { ContenderFile, Programs } from '../processes/programs.js'
import type { ListeningServer, ServerOrders } from '../processes/server.js'
import { type RunningProgram, startProgram } from '../processes/start-program.js'
import type { World } from '../world/world.js'

/** A load in a process of its own, the same for all servers of a comparison. */
export type Load = RunningProgram<LoadOrders>

/** A server in a process of its own that was checked. */
export interface Bout {
  readonly server: ListeningServer
  /**
   * Runs a load, and tells what it cost the server. Every answer must be good; whether every request must have one depends on
   * the load: in a closed loop silence is a failure, at a fixed rate it is what a server does that can't keep up.
   */
  readonly measure: (run: () => Promise<LoadResult>, silence?: 'is a failure' | 'is a figure') => Promise<ServerFigures>
}

/** What a load cost a server. */
export interface ServerFigures extends LoadResult {
  /** CPU time of the server's process for a request, in microseconds. */
  readonly cpuMicroseconds: number
  readonly requestsPerSecond: number
}

/** Starts a load for the time of its use. */
export const withLoad = async <T>({ load: path }: Programs, use: (load: Load) => Promise<T>): Promise<T> => {
  const load = startProgram<LoadOrders>(path)
  try {
    return await use(load)
  } finally {
    await load.kill()
  }
}

/** Starts a server, has a load check its answers, and ends it whatever happens. */
export const withServer = async <T>(
  { server: path }: Programs,
  { contender, world, load }: { readonly contender: ContenderFile; readonly world: World; readonly load: Load },
  use: (bout: Bout) => Promise<T>,
): Promise<T> => {
  const host = startProgram<ServerOrders>(path)
  try {
    const server = await host.call('open', { path: contender.path, world })
    await load.call('check', server)
    const measure: Bout['measure'] = async (run, silence = 'is a failure') => {
      const before = await host.call('cpu', undefined)
      const result = await run()
      const after = await host.call('cpu', undefined)
      refuseErrors(server.title, result, silence === 'is a failure' ? ['200'] : ['200', '0'])
      return {
        ...result,
        cpuMicroseconds: (after - before) / result.requests,
        requestsPerSecond: result.requests / result.seconds,
      }
    }
    return await use({ server, measure })
  } finally {
    await host.kill()
  }
}

const refuseErrors = (title: string, { requests, statuses }: LoadResult, good: readonly string[]): void => {
  if (requests > 0 && Object.keys(statuses).every((status) => good.includes(status))) return
  throw new Error(`${title} answered ${requests} requests with ${JSON.stringify(statuses)}.`)
}
