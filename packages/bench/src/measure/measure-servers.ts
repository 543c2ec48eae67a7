import type { LoadResult } from '../load/load-result.js'
import type { LoadOrders } from '../processes/load.js'
import type { ContenderFile, Programs } from '../processes/programs.js'
import type { ListeningServer, ServerOrders } from '../processes/server.js'
import { type RunningProgram, startProgram } from '../processes/start-program.js'
import type { World } from '../world/world.js'

/** A server that was checked and a load beside it, each in its process. */
export interface Bout {
  readonly server: ListeningServer
  /** Runs a load that must not meet an error, and tells what it cost the server. */
  readonly measure: (run: (load: RunningProgram<LoadOrders>) => Promise<LoadResult>) => Promise<ServerFigures>
  readonly load: RunningProgram<LoadOrders>
}

/** What a load cost a server. */
export interface ServerFigures extends LoadResult {
  /** CPU time of the server's process for a request, in microseconds. */
  readonly cpuMicroseconds: number
  readonly requestsPerSecond: number
}

/** Starts a server and a load, checks the server's answers, and ends both whatever happens. */
export const withServer = async <T>(
  programs: Programs,
  { contender, world }: { readonly contender: ContenderFile; readonly world: World },
  use: (bout: Bout) => Promise<T>,
): Promise<T> => {
  const host = startProgram<ServerOrders>(programs.server)
  const load = startProgram<LoadOrders>(programs.load)
  try {
    const server = await host.call('open', { path: contender.path, world })
    await load.call('check', server)
    const measure: Bout['measure'] = async (run) => {
      const before = await host.call('cpu', undefined)
      const result = await run(load)
      const after = await host.call('cpu', undefined)
      refuseErrors(server.title, result)
      return {
        ...result,
        cpuMicroseconds: (after - before) / result.requests,
        requestsPerSecond: result.requests / result.seconds,
      }
    }
    return await use({ server, measure, load })
  } finally {
    await Promise.all([host.kill(), load.kill()])
  }
}

const refuseErrors = (title: string, { requests, statuses }: LoadResult): void => {
  const others = Object.keys(statuses).filter((status) => status !== '200')
  if (requests > 0 && others.length === 0) return
  throw new Error(`${title} answered ${requests} requests with ${JSON.stringify(statuses)}.`)
}
