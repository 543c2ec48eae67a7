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
  /** Runs a load that must not meet an error, and tells what it cost the server. */
  readonly measure: (run: () => Promise<LoadResult>) => Promise<ServerFigures>
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
    const measure: Bout['measure'] = async (run) => {
      const before = await host.call('cpu', undefined)
      const result = await run()
      const after = await host.call('cpu', undefined)
      refuseErrors(server.title, result)
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

const refuseErrors = (title: string, { requests, statuses }: LoadResult): void => {
  const others = Object.keys(statuses).filter((status) => status !== '200')
  if (requests > 0 && others.length === 0) return
  throw new Error(`${title} answered ${requests} requests with ${JSON.stringify(statuses)}.`)
}
