import type { RemoteProgram } from '@jwt-auth/test-support'
import type { LoadResult } from '../load/load-result.js'
import type { Load } from '../processes/load.js'
import type { Programs } from '../processes/programs.js'
import type { ListeningServer } from '../processes/server.js'
import type { World } from '../world/world.js'

/** The functions of a load in its own process, the same for all servers of a comparison. */
export type LoadCalls = RemoteProgram<Load>['call']

/** A server in its own process, after it was checked. */
export interface CheckedServer {
  readonly server: ListeningServer
  /**
   * Runs a load and measures its cost for the server. Rejects when the status of a response is not
   * 200. `missing` says what a missing response is: in a closed loop it is a failure, and at a fixed
   * rate it is the result of a server that cannot keep up.
   */
  readonly measure: (run: () => Promise<LoadResult>, missing?: 'is a failure' | 'is a result') => Promise<ServerFigures>
}

/** The results of a load, and its cost for the server. */
export interface ServerFigures extends LoadResult {
  /** The CPU time of the server's process per request, in microseconds. */
  readonly cpuMicroseconds: number
  readonly requestsPerSecond: number
}

/** Starts a load, calls `use`, and ends the load, even when `use` rejects. */
export const withLoad = async <T>({ startLoad }: Programs, use: (load: LoadCalls) => Promise<T>): Promise<T> => {
  const { call, end } = startLoad()
  try {
    return await use(call)
  } finally {
    await end('SIGKILL')
  }
}

/**
 * Starts a server, checks its responses, calls `use`, and ends the server, even when `use` rejects.
 */
export const withServer = async <T>(
  { startServer }: Programs,
  { name, world, load }: { readonly name: string; readonly world: World; readonly load: LoadCalls },
  use: (checked: CheckedServer) => Promise<T>,
): Promise<T> => {
  const { call, end } = startServer()
  try {
    const server = await call.open(name, world)
    await load.check(server)
    const measure: CheckedServer['measure'] = async (run, missing = 'is a failure') => {
      const before = await call.readCpu()
      const result = await run()
      const after = await call.readCpu()
      requireStatuses(server.title, result, missing === 'is a failure' ? ['200'] : ['200', '0'])
      return {
        ...result,
        cpuMicroseconds: (after - before) / result.requests,
        requestsPerSecond: result.requests / result.seconds,
      }
    }
    return await use({ server, measure })
  } finally {
    await end('SIGKILL')
  }
}

/** Throws when a response has another status. */
export const requireStatuses = (
  title: string,
  { requests, statuses }: LoadResult,
  allowed: readonly string[],
): void => {
  if (requests > 0 && Object.keys(statuses).every((status) => allowed.includes(status))) return
  throw new Error(`${title} responded to ${requests} requests with ${JSON.stringify(statuses)}.`)
}
